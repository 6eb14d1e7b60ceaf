/** A published price list, and what it says differently from the catalogue. */
import { Type } from '@sinclair/typebox';
import { listMaxBytes } from '../../../catalogue/published-lists/fetch-published-list.ts';
import { matchRules } from '../../../catalogue/published-lists/match-offers.ts';
import { listForms } from '../../../catalogue/published-lists/offer.ts';
import { nullableInput } from '../../fields/checked-by.ts';
import { model } from '../../fields/example-values.ts';
import { closedObject, count, flag, integer, nullable, oneOf, text, timestamp } from '../../fields/schemas.ts';
import { catalogueExample } from '../catalogue-schemas.ts';

const changesMax = 10_000;
const modelMaxLength = 128;
const fieldMaxLength = 64;
const valueMaxLength = 100;

/** With prices that differ from those of `catalogueExample`. */
export const listExample = `{"data": [{"id": "openai/gpt-4o-mini", "context_length": 128000,
  "pricing": {"prompt": "0.00000012", "completion": "0.0000006"}}]}`;

const listUrlExample = 'https://openrouter.ai/api/v1/models';

const list = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: listMaxBytes,
    description:
      "The list, as JSON in OpenRouter's form or LiteLLM's. Without it, the list at `CATALOGUE_SYNC_URL` is fetched.",
    expected: 'a price list, as JSON text',
    example: listExample,
  }),
);

export const compareBody = closedObject({ list });

const fieldDescription =
  'What differs: `prompt` or another price per token, `flex>200000 prompt` at another rate than the usual one, `request` or another ' +
  'price for one, `size/quality` of an image; or `contextTokens`, `maxOutputTokens`, `inputModalities`, `retiresAt`.';

const bounded = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, description, expected: `a string of 1 to ${maxLength} characters`, example });

export const takeOverBody = closedObject({
  list,
  changes: Type.Array(
    closedObject({
      model: bounded(modelMaxLength, 'The id of the model.', model),
      field: bounded(fieldMaxLength, 'What to take over: the `field` of the comparison.', 'prompt'),
      to: nullableInput(
        bounded(
          valueMaxLength,
          'The value that the comparison showed. If the list says something else by now, nothing is taken over.',
          '0.12',
        ),
      ),
      confirmed: Type.Optional(
        Type.Boolean({
          description: 'Required to be true for a price that `isLarge`: it is more often a mistake than a price.',
          expected: 'true or false',
          example: false,
        }),
      ),
    }),
    {
      minItems: 1,
      maxItems: changesMax,
      description: 'The differences to take over.',
      expected: `a list of 1 to ${changesMax} differences`,
    },
  ),
});

const difference = Type.Object({
  model: text('The id of the model.', model),
  entry: text('The entry of the list that it was found as.', 'openai/gpt-4o-mini'),
  rule: oneOf(
    matchRules,
    'How it was found: `deployment` by the name of its deployment, `undated` by the same without the date of a snapshot.',
    'undated',
  ),
  changes: Type.Array(
    Type.Object({
      field: text(fieldDescription, 'prompt'),
      from: nullable(
        text(
          'What the catalogue says. Prices are in USD per million tokens or for one, before the markup. Null for nothing.',
          '0.15',
        ),
      ),
      to: nullable(text('What the list says. Null for nothing.', '0.12')),
      isPrice: flag('Whether it is a price.', true),
      isDecrease: flag('Whether it is a lower price.', true),
      isLarge: flag('Whether it is a price that is more than three times as high or less than a third.', false),
    }),
    { description: 'What the list says differently.' },
  ),
});

const comparisonFields = {
  form: oneOf(listForms, 'The form of the list.', 'openrouter'),
  changed: Type.Array(difference, { description: 'The models that the list says something else about.' }),
  unchanged: count('How many models the list says the same about.', 3),
  added: Type.Array(text('The entry of the list.'), {
    description: "Models of the catalogue's providers that the catalogue does not have.",
    example: ['openai/gpt-5-nano'],
  }),
  ambiguous: Type.Array(
    Type.Object({
      model: text('The id of the model.', 'gpt-4o'),
      entries: Type.Array(text('An entry of the list.'), { description: 'The entries that it may be.' }),
    }),
    { description: 'Models that several entries may be about. They are not compared.', example: [] },
  ),
  unlisted: Type.Array(text('The id of the model.'), {
    description: 'Models that the list does not have.',
    example: ['own-llama'],
  }),
  unreadable: Type.Array(
    Type.Object({ entry: text('The entry of the list.', 'openrouter/auto'), reason: text('What is wrong with it.') }),
    { description: 'Entries that cannot be read. They are left out.', example: [] },
  ),
};

export const comparisonSchema = Type.Object(
  {
    version: integer('The version of the catalogue that the list was compared with.', 5),
    ...comparisonFields,
  },
  { title: 'PriceListComparison' },
);

export const takenOverSchema = Type.Object(
  {
    version: integer('The version of the catalogue that the differences were taken over into.', 5),
    catalogue: text(
      'The changed file, as YAML, to be checked and applied or scheduled. Nothing has changed yet.',
      catalogueExample,
    ),
  },
  { title: 'TakenOverCatalogue' },
);

export const priceListSchema = Type.Object(
  {
    url: nullable(
      text(
        'The list that the catalogue is compared with daily (`CATALOGUE_SYNC_URL`); null if there is none.',
        listUrlExample,
      ),
    ),
    appliesDecreases: flag('Whether lower prices are applied without asking (`CATALOGUE_SYNC_DECREASES`).', false),
    lastAttempt: nullable(
      Type.Object(
        {
          startedAt: timestamp('When it began.', '2030-01-15T12:00:00.000Z'),
          error: nullable(text('Why the list could not be compared; null if it was.')),
        },
        { description: 'The last attempt to compare it; null if there was none.' },
      ),
    ),
    lastComparison: nullable(
      Type.Object(
        {
          comparedAt: timestamp('When it was compared.', '2030-01-15T12:00:00.000Z'),
          applied: Type.Array(difference, {
            description: 'Lower prices that were applied without asking.',
            example: [],
          }),
          appliedVersion: nullable(integer('The version of the catalogue that they made; null if there were none.')),
          ...comparisonFields,
        },
        { description: 'What the list said differently when it was compared last; null if it never was.' },
      ),
    ),
  },
  { title: 'PriceList' },
);
