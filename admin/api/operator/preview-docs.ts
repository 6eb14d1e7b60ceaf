/** The check of a catalogue before it is applied: its schema and documentation. */
import { Type } from '@sinclair/typebox';
import { customersMax, usualDays } from '../../catalogue/affected-customers.ts';
import { catalogueTooLarge, catalogueTooSlow } from '../../catalogue/catalogue-readers.ts';
import { describe } from '../docs/describe.ts';
import { customer } from '../fields/example-values.ts';
import { count, flag, integer, nullable, text } from '../fields/schemas.ts';
import { previewBody } from './catalogue-schemas.ts';

const changeFields = {
  difference: nullable(text('How much higher that is, negative if it is lower; null if it cannot be compared.')),
  percent: nullable(text('The same in percent, with at most 2 decimals; null also if it was free before.')),
};
const costFields = {
  before: nullable(
    text(
      'What the tokens cost at current prices, in USD; null for models that are removed, and for images, whose sizes ' +
        'are not counted separately.',
    ),
  ),
  after: nullable(text('What the same tokens would cost, in USD; null if it cannot be compared.')),
  ...changeFields,
};

export const previewSchema = Type.Object(
  {
    valid: flag('Whether the catalogue can be applied. If not, `problems` says why, and there is no difference.'),
    version: nullable(
      integer(
        'The current version, which the catalogue was compared with; null if there is none. Send it as `expectedVersion` ' +
          'to apply the catalogue only if it is still current.',
      ),
    ),
    problems: Type.Array(
      Type.Object({
        line: nullable(integer('The line of the file; null if it concerns the file as a whole.')),
        message: text('What is wrong.'),
      }),
      { description: 'Every problem in the file.' },
    ),
    added: Type.Array(Type.String(), { description: 'The ids of models that are new.' }),
    removed: Type.Array(Type.String(), { description: 'The ids of models that are no longer offered.' }),
    changed: Type.Array(
      Type.Object({
        id: text('The id of the model.'),
        prices: Type.Array(
          Type.Object({
            price: text('Which price: a class of tokens such as `prompt`, or `size/quality` of an image.'),
            from: nullable(text('The current price, in USD per million tokens or per image; null if there is none.')),
            to: nullable(text('The new price; null if it is removed.')),
            ...changeFields,
          }),
          { description: 'The prices that change. They include the markup.' },
        ),
      }),
      { description: 'The models whose prices change.' },
    ),
    unchanged: count('How many models keep their prices.'),
    customersAffected: count(`How many accounts used a changed or removed model in the last ${usualDays} days.`),
    customers: Type.Array(
      Type.Object({
        accountId: integer('The id of the account.'),
        email: nullable(text('The e-mail address of its first user.')),
        ...costFields,
        models: Type.Array(
          Type.Object({
            model: text('The id of the model.'),
            removed: flag('Whether the model is removed.'),
            requests: count(`How many requests the account made to it in the last ${usualDays} days.`),
            ...costFields,
          }),
          { description: 'The changed and removed models that the account used.' },
        ),
      }),
      {
        description:
          `The ${customersMax} of them whose costs change most, and what their usage of the last ${usualDays} days costs ` +
          'at current and at new prices.',
      },
    ),
  },
  { title: 'CataloguePreview' },
);

const change = { difference: '0.06', percent: '33.33' };
const cost = { before: '12.6', after: '16.8', difference: '4.2', percent: '33.33' };

export const previewCatalogueDocs = describe({
  tag: 'Operators',
  permission: 'operator',
  id: 'previewCatalogue',
  summary: 'Check a catalogue before it is applied',
  description:
    'Lists every problem with its line; or the models and prices that the catalogue would change, and what that means ' +
    'for the customers who use them. Nothing is changed.',
  body: { schema: previewBody },
  response: {
    description: 'The effect of applying it, or why it cannot be applied.',
    schema: previewSchema,
    example: {
      valid: true,
      version: 5,
      problems: [],
      added: ['gpt-5-nano'],
      removed: ['gpt-3.5-turbo'],
      changed: [{ id: 'gpt-4o-mini', prices: [{ price: 'prompt', from: '0.18', to: '0.24', ...change }] }],
      unchanged: 12,
      customersAffected: 1,
      customers: [
        {
          ...{ accountId: customer.accountId, email: customer.email, ...cost },
          models: [{ model: 'gpt-4o-mini', removed: false, requests: 310, ...cost }],
        },
      ],
    } satisfies typeof previewSchema.static,
  },
  errors: [catalogueTooLarge(), catalogueTooSlow()],
});
