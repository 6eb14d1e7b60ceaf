/** `gateway project create`, `update`, `archive` and `restore`: what members do on the page of the organization. */
import { checkValue } from '../../../../shared/http/check-value.ts';
import { withoutUndefined } from '../../../../shared/members.ts';
import {
  changeProjectBody,
  newProjectBody,
  renderProject,
} from '../../../api/organizations/projects/project-schemas.ts';
import type { Database } from '../../../database/connect.ts';
import { lockAccount } from '../../../database/rows/lock-account.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { addProject, applyChange, findProject, findProjectOwner } from '../../../organizations/projects.ts';
import { command, type Outcome, UsageError } from '../../command.ts';
import { deliverNow } from '../../deliver-now.ts';
import { listOf } from '../../list.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findNamedAccount, readId } from '../accounts/name-account.ts';
import { projectColumns } from './project-list.ts';

const projectIdArgument = {
  id: { type: 'string', required: true, description: "The project's id, as `project list` shows it" },
} as const;

const fieldArguments = {
  description: { type: 'string', description: 'What it is for, or none' },
  'cost-center': { type: 'string', description: 'Where its spending is booked, or none' },
} as const;

type Fields = { readonly name?: string | undefined } & {
  readonly [Field in keyof typeof fieldArguments]?: string | undefined;
};

const readFields = ({ name, description, 'cost-center': costCenter }: Fields) =>
  withoutUndefined({ name, description: textOrNone(description), costCenter: textOrNone(costCenter) });

const textOrNone = (text: string | undefined) => (text === 'none' ? null : text);

export const projectCreate = command({
  description: 'Create a project',
  args: {
    ...accountArguments,
    name: { type: 'string', required: true, description: 'What it is called' },
    ...fieldArguments,
  },
  run: ({ account, email, ...options }) => {
    const fields = checkValue(newProjectBody, readFields(options));
    return withDatabase(async (database) => {
      const accountId = await findNamedAccount(database, { account, email });
      const id = await database.db.transaction(async (transaction) => {
        await lockAccount(transaction, accountId);
        return addProject(transaction, commandActor(), { accountId, fields });
      });
      return shown(database, { accountId, id });
    });
  },
});

export const projectUpdate = command({
  description: 'Change the name, the description or the cost center of a project; omitted options stay as they are',
  args: { ...projectIdArgument, name: { type: 'string', description: 'What it is called' }, ...fieldArguments },
  run: ({ id, ...options }) => {
    const fields = readFields(options);
    if (Object.keys(fields).length === 0) throw new UsageError('Give an option to change, such as --name.');
    return change(id, fields);
  },
});

export const projectArchive = command({
  description: 'Archive a project: its keys are refused until it is restored',
  args: projectIdArgument,
  run: ({ id }) => change(id, { archived: true }),
});

export const projectRestore = command({
  description: 'Restore an archived project',
  args: projectIdArgument,
  run: ({ id }) => change(id, { archived: false }),
});

function change(idText: string, fields: object): Promise<Outcome> {
  const id = readId(idText, '--id');
  const checked = checkValue(changeProjectBody, fields);
  return withDatabase(async (database) => {
    const accountId = await findProjectOwner(database.db, id);
    await database.db.transaction(async (transaction) => {
      await lockAccount(transaction, accountId);
      await applyChange(transaction, commandActor(), { accountId, id, change: checked });
    });
    const delivery = checked.archived === undefined ? [] : ['', await deliverNow(database, accountId)];
    return shown(database, { accountId, id }, delivery);
  });
}

async function shown(
  database: Database,
  { accountId, id }: { accountId: number; id: number },
  more: readonly string[] = [],
): Promise<Outcome> {
  const project = renderProject(await findProject(database.db, { accountId }, id));
  return { text: [listOf([project], { none: '', columns: projectColumns }), ...more], object: project };
}
