/** The documentation of the catalogue for operators. */
import { operatorsOnly } from '../../auth/require-operator.ts';
import { catalogueChanged } from '../../catalogue/apply-catalogue.ts';
import { catalogueTooLarge, catalogueTooSlow } from '../../catalogue/catalogue-readers.ts';
import { readLocated } from '../../catalogue/locate-problems.ts';
import { noCatalogueYet } from '../../catalogue/newest-catalogue.ts';
import { modelWithoutHistory } from '../../catalogue/price-history.ts';
import { scheduledNotFound } from '../../catalogue/schedule-catalogue.ts';
import { describe } from '../docs/describe.ts';
import { thrownBy } from '../docs/error-examples.ts';
import { pricesLike } from '../fields/money.ts';
import {
  appliedSchema,
  applyBody,
  catalogueSchema,
  historyQuery,
  historySchema,
  scheduleBody,
  scheduledSchema,
  validFile,
} from './catalogue-schemas.ts';
import { idParams } from './operator-schemas.ts';

const catalogue = `providers:
  - { id: openai, protocol: openai, baseUrl: "https://api.openai.com/v1", apiKeyEnv: OPENAI_API_KEY }
models:
  - id: gpt-4o-mini
    kind: chat
    ownedBy: openai
    contextTokens: 128000
    maxOutputTokens: 16384
    price: { prompt: "0.15", completion: "0.60" }
    markup: "1.20"
    deployments: [{ provider: openai, model: gpt-4o-mini-2024-07-18 }]
`;
const prices = pricesLike({ prompt: '0.15', completion: '0.6' });
const listed = pricesLike({ prompt: '0.18', completion: '0.72' });
const scheduled: typeof scheduledSchema.static = {
  id: 3,
  effectiveFrom: '2030-02-01T00:00:00.000Z',
  createdAt: '2030-01-15T12:00:00.000Z',
};

const badCatalogue = thrownBy(() =>
  validFile(readLocated(catalogue.replace('provider: openai', 'provider: opnai'), new Set())),
);

const common = { tag: 'Operators', security: 'accessToken' } as const;

export const getCatalogueDocs = describe({
  ...common,
  id: 'getCatalogue',
  summary: 'The catalogue',
  description: 'The current providers, models and prices, and the scheduled catalogues.',
  response: {
    status: 200,
    description: 'The catalogue.',
    schema: catalogueSchema,
    example: { version: 5, createdAt: '2030-01-01T00:00:00.000Z', catalogue, scheduled: [{ ...scheduled, catalogue }] },
  },
  errors: [operatorsOnly(), noCatalogueYet()],
});

export const applyCatalogueDocs = describe({
  ...common,
  id: 'applyCatalogue',
  summary: 'Apply a catalogue now',
  description:
    'Replaces the whole catalogue. Every proxy has it within a second; requests in flight keep their prices. A catalogue ' +
    'with mistakes changes nothing, and `errors` names all of them. With `expectedVersion`, it replaces only the version ' +
    'that its preview was compared with, so that no unseen change is reverted.',
  body: { schema: applyBody, example: { catalogue, expectedVersion: 5 } },
  response: {
    status: 200,
    description: 'The catalogue is applied.',
    schema: appliedSchema,
    example: { version: 6, models: 1, pricesChanged: 1, modelsRemoved: [] },
  },
  errors: [operatorsOnly(), badCatalogue, catalogueChanged(6), catalogueTooLarge(), catalogueTooSlow()],
});

export const scheduleCatalogueDocs = describe({
  ...common,
  id: 'scheduleCatalogue',
  summary: 'Schedule a catalogue',
  description:
    'At that moment it replaces the catalogue that is current then. Requests in flight keep their prices. Several can be ' +
    'scheduled.',
  body: { schema: scheduleBody, example: { catalogue, effectiveFrom: '2030-02-01T00:00:00Z' } },
  response: { status: 201, description: 'The catalogue is scheduled.', schema: scheduledSchema, example: scheduled },
  errors: [operatorsOnly(), badCatalogue, catalogueTooLarge(), catalogueTooSlow()],
});

export const cancelCatalogueDocs = describe({
  ...common,
  id: 'cancelScheduledCatalogue',
  summary: 'Cancel a scheduled catalogue',
  description: 'Only a catalogue that has not taken effect yet can be cancelled.',
  params: idParams('a scheduled catalogue'),
  response: { status: 204, description: 'The scheduled catalogue is cancelled.' },
  errors: [operatorsOnly(), scheduledNotFound(scheduled.id)],
});

export const priceHistoryDocs = describe({
  ...common,
  id: 'getPriceHistory',
  summary: "History of a model's prices",
  description: 'What customers paid, and what the gateway paid, for each class of tokens, newest first.',
  query: historyQuery,
  response: {
    status: 200,
    description: 'The prices.',
    schema: historySchema,
    example: {
      model: 'gpt-4o-mini',
      prices: [
        { version: 3, effectiveFrom: '2030-01-01T00:00:00.000Z', markup: '1.2', listed, provider: prices, images: [] },
      ],
    } satisfies typeof historySchema.static,
  },
  errors: [operatorsOnly(), modelWithoutHistory()],
});
