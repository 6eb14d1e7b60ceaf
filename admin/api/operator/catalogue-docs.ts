/** The documentation of the catalogue for operators. */
import { catalogueChanged } from '../../catalogue/apply-catalogue.ts';
import { catalogueTooLarge, catalogueTooSlow } from '../../catalogue/catalogue-readers.ts';
import { readLocated } from '../../catalogue/locate-problems.ts';
import { noCatalogueYet } from '../../catalogue/newest-catalogue.ts';
import { modelWithoutHistory } from '../../catalogue/price-history.ts';
import { scheduledNotFound } from '../../catalogue/schedule-catalogue.ts';
import { describe } from '../docs/describe.ts';
import { thrownBy } from '../docs/error-examples.ts';
import {
  appliedSchema,
  applyBody,
  catalogueExample,
  catalogueSchema,
  historyQuery,
  historySchema,
  scheduleBody,
  scheduledIdExample,
  scheduledSchema,
  validFile,
} from './catalogue-schemas.ts';
import { idParams } from './operator-schemas.ts';

const badCatalogue = thrownBy(() =>
  validFile(readLocated(catalogueExample.replace('provider: openai', 'provider: opnai'), new Set())),
);

const common = { tag: 'Operators', permission: 'operator' } as const;

export const getCatalogueDocs = describe({
  ...common,
  id: 'getCatalogue',
  summary: 'The catalogue',
  description: 'The current providers, models and prices, and the scheduled catalogues.',
  response: { description: 'The catalogue.', schema: catalogueSchema },
  errors: [noCatalogueYet()],
});

export const applyCatalogueDocs = describe({
  ...common,
  id: 'applyCatalogue',
  summary: 'Apply a catalogue now',
  description:
    'Replaces the whole catalogue. Every proxy has it within a second; requests in flight keep their prices. A catalogue ' +
    'with mistakes changes nothing, and `errors` names all of them. With `expectedVersion`, it replaces only the version ' +
    'that its preview was compared with, so that no unseen change is reverted.',
  body: { schema: applyBody },
  response: { description: 'The catalogue is applied.', schema: appliedSchema },
  errors: [badCatalogue, catalogueChanged(6), catalogueTooLarge(), catalogueTooSlow()],
});

export const scheduleCatalogueDocs = describe({
  ...common,
  id: 'scheduleCatalogue',
  summary: 'Schedule a catalogue',
  description:
    'At that moment it replaces the catalogue that is current then. Requests in flight keep their prices. Several can be ' +
    'scheduled.',
  body: { schema: scheduleBody },
  response: { status: 201, description: 'The catalogue is scheduled.', schema: scheduledSchema },
  errors: [badCatalogue, catalogueTooLarge(), catalogueTooSlow()],
});

export const cancelCatalogueDocs = describe({
  ...common,
  id: 'cancelScheduledCatalogue',
  summary: 'Cancel a scheduled catalogue',
  description: 'Only a catalogue that has not taken effect yet can be cancelled.',
  params: idParams('a scheduled catalogue'),
  response: { status: 204, description: 'The scheduled catalogue is cancelled.' },
  errors: [scheduledNotFound(scheduledIdExample)],
});

export const priceHistoryDocs = describe({
  ...common,
  id: 'getPriceHistory',
  summary: "History of a model's prices",
  description: 'What customers paid, and what the gateway paid, for each class of tokens, newest first.',
  query: historyQuery,
  response: { description: 'The prices.', schema: historySchema },
  errors: [modelWithoutHistory()],
});
