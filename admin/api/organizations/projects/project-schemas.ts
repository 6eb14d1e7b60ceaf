/** Projects, in requests and responses. */
import { Type } from '@sinclair/typebox';
import { GatewayError } from '../../../../shared/errors.ts';
import type { ListedProject } from '../../../organizations/projects.ts';
import { nullableInput } from '../../fields/checked-by.ts';
import { project } from '../../fields/example-values.ts';
import { usdFields, usdValues } from '../../fields/money.ts';
import { closedObject, count, flag, idOf, integer, label, nullable, text, timestamp } from '../../fields/schemas.ts';

const nameMaxLength = 100;
const descriptionMaxLength = 1_000;
const costCenterMaxLength = 100;

const projectFields = {
  id: integer('The id of the project.', project.id),
  name: text('What it is called.', project.name),
  description: nullable(text('What it is for; null if nobody said.', 'The bot on the website')),
  costCenter: nullable(
    text('Where the accounting of the organization books what it spends; null if nowhere in particular.', 'CC-40'),
  ),
  archived: flag('Whether it is archived: its keys are refused.', false),
  keys: count('How many proxy keys are in it.', 3),
  ...usdFields(
    'spend30d',
    'What its keys were charged in it today (in UTC) and on the 29 days before, in USD.',
    '1.284',
  ),
  createdAt: timestamp('When it was created.'),
};

export const projectSchema = Type.Object(projectFields, { title: 'Project' });

export const projectsSchema = Type.Object(
  { projects: Type.Array(Type.Object(projectFields), { description: 'By name, archived ones last.' }) },
  { title: 'Projects' },
);

export const projectParams = Type.Object({
  id: idOf('a project', 'The id of the project, as the list of projects shows it.', project.id),
});

const name = label(
  nameMaxLength,
  'What it is called. Two projects that are not archived must not have the same name.',
  project.name,
);
const optionalText = (maxLength: number, description: string, example: string) =>
  Type.Optional(nullableInput(label(maxLength, description, example)));
const details = {
  description: optionalText(descriptionMaxLength, 'What it is for.', 'The bot on the website'),
  costCenter: optionalText(
    costCenterMaxLength,
    'Where the accounting of the organization books what it spends. Acts list usage by it.',
    'CC-40',
  ),
};

export const newProjectBody = closedObject({ name, ...details });

export const changeProjectBody = closedObject({
  name: Type.Optional(name),
  ...details,
  archived: Type.Optional(
    Type.Boolean({
      description: 'True archives the project: its keys are refused until it is restored with false.',
      expected: 'true or false',
    }),
  ),
});

export function nothingToChangeInProject(): GatewayError {
  return new GatewayError(
    'missing_parameter',
    'Send at least one of `name`, `description`, `costCenter` and `archived`.',
    {
      param: 'name',
    },
  );
}

export function renderProject(listed: ListedProject): typeof projectSchema.static {
  const { id, name, description, costCenter, archivedAt, keys, spent30dNano, createdAt } = listed;
  return {
    ...{ id, name, description, costCenter, archived: archivedAt !== null, keys },
    ...usdValues('spend30d', spent30dNano),
    createdAt: createdAt.toISOString(),
  };
}
