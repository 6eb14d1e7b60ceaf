/** The catalogue as operators see and change it. */
import { Type } from '@sinclair/typebox';
import { GatewayError } from '../../../shared/errors.ts';
import type { CatalogueFile } from '../../catalogue/catalogue-file.ts';
import type { LocatedReading } from '../../catalogue/locate-problems.ts';
import { nullableInput } from '../fields/checked-by.ts';
import { model } from '../fields/example-values.ts';
import { eachUnit, pricesPerMillion, providerPrices, rateFields, variantFields } from '../fields/money.ts';
import { closedObject, count, integer, label, text, timestamp } from '../fields/schemas.ts';

const catalogueMaxLength = 10_000_000;
const modelMaxLength = 128;

export const scheduledIdExample = 3;
/** With the prices that the examples show elsewhere. */
export const catalogueExample = `providers:
  - { id: openai, protocol: openai, baseUrl: "https://api.openai.com/v1", apiKeyEnv: OPENAI_API_KEY }
models:
  - id: gpt-4o-mini
    kind: chat
    ownedBy: openai
    contextTokens: 128000
    maxOutputTokens: 16384
    price: { prompt: "0.15", cachedPrompt: "0.075", completion: "0.60" }
    markup: "1.20"
    deployments: [{ provider: openai, model: gpt-4o-mini-2024-07-18 }]
`;

const yaml = Type.String({
  minLength: 1,
  maxLength: catalogueMaxLength,
  description: 'The whole catalogue file, as YAML or JSON: models that are not in it are no longer offered.',
  expected: 'a catalogue file, as YAML or JSON text',
  example: catalogueExample,
});

export const previewBody = closedObject({ catalogue: yaml });
export const applyBody = closedObject({
  catalogue: yaml,
  expectedVersion: Type.Optional(
    nullableInput(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description:
          'The version that the catalogue is to replace: the `version` of its preview, null for none. If another ' +
          'version is current by then, nothing is applied. Without it, the catalogue replaces any version.',
        expected: 'the number of a version',
        example: 5,
      }),
    ),
  ),
});
export const scheduleBody = closedObject({
  catalogue: yaml,
  effectiveFrom: Type.String({
    description: 'When the catalogue takes effect: an ISO 8601 date and time in the future, in UTC by default.',
    expected: 'a moment in the future in ISO 8601 (UTC if it has no offset)',
    example: '2030-02-01T00:00:00Z',
  }),
});

export const historyQuery = Type.Object({
  model: label(modelMaxLength, 'The id of the model. It may have been removed since.'),
});

const scheduledFields = {
  id: integer('The id of the scheduled catalogue, to cancel it with.', scheduledIdExample),
  effectiveFrom: timestamp('When it takes effect.', '2030-02-01T00:00:00.000Z'),
  createdAt: timestamp('When it was scheduled.', '2030-01-15T12:00:00.000Z'),
};

export const scheduledSchema = Type.Object(scheduledFields, { title: 'ScheduledCatalogue' });

export const catalogueSchema = Type.Object(
  {
    version: integer('The current version. Each catalogue that takes effect has the next number.', 5),
    createdAt: timestamp('When this version took effect.', '2030-01-01T00:00:00.000Z'),
    catalogue: text('The current file, as YAML.', catalogueExample),
    scheduled: Type.Array(
      Type.Object({ ...scheduledFields, catalogue: text('The scheduled file, as YAML.', catalogueExample) }),
      {
        description: 'The scheduled catalogues, the next one first.',
      },
    ),
  },
  { title: 'Catalogue' },
);

export const appliedSchema = Type.Object(
  {
    version: integer('The number of the version that is in effect now.', 6),
    models: count('How many models it has.', 1),
    pricesChanged: count('How many models have a new price or are new.', 1),
    modelsRemoved: Type.Array(Type.String(), {
      description: 'The ids of models that are no longer in the catalogue: requests to them are refused.',
    }),
  },
  { title: 'AppliedCatalogue' },
);

export const historySchema = Type.Object(
  {
    model: text('The id of the model.', model),
    prices: Type.Array(
      Type.Object({
        version: integer('The version of the catalogue that set these prices.', 3),
        effectiveFrom: timestamp('When these prices took effect.', '2029-12-01T00:00:00.000Z'),
        markup: text("The factor from the provider's prices to the listed ones, as a decimal string.", '1.2'),
        listed: pricesPerMillion('What customers pay.'),
        provider: pricesPerMillion('What the gateway pays the provider.', { example: providerPrices }),
        images: Type.Array(
          Type.Object({
            ...variantFields,
            listed: text('What customers pay for an image, in USD, as a decimal string.'),
            provider: text('What the gateway pays the provider, in USD, as a decimal string.'),
          }),
          { description: 'The prices of images, by size and quality. Empty if the model generates none.', example: [] },
        ),
        perUnit: Type.Array(
          Type.Object({
            unit: eachUnit,
            listed: text('What customers pay for one, in USD, as a decimal string.'),
            provider: text('What the gateway pays the provider, in USD, as a decimal string.'),
          }),
          { description: 'The prices of what is counted one by one. Empty if there are none.', example: [] },
        ),
        rates: Type.Array(
          Type.Object({
            ...rateFields,
            listed: pricesPerMillion('What customers pay.'),
            provider: pricesPerMillion('What the gateway pays the provider.', { example: providerPrices }),
          }),
          { description: 'The prices for long prompts and other service tiers. Empty if there are none.', example: [] },
        ),
      }),
      { description: 'The prices that the model has had, newest first.' },
    ),
  },
  { title: 'PriceHistory' },
);

/** Throws GatewayError `invalid_catalogue` with every mistake. */
export function validFile(reading: LocatedReading): CatalogueFile {
  if (reading.ok) return reading.file;
  const problems = reading.problems.map(({ message }) => ({
    param: 'catalogue',
    code: 'invalid_catalogue' as const,
    message,
  }));
  throw new GatewayError('invalid_catalogue', `The catalogue is invalid: ${problems[0]?.message}.`, {
    param: 'catalogue',
    problems,
  });
}
