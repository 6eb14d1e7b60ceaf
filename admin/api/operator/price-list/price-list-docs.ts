/** The documentation of published price lists for operators. */
import { noCatalogueYet } from '../../../catalogue/newest-catalogue.ts';
import { notAPriceList } from '../../../catalogue/published-lists/read-published-list.ts';
import { describe } from '../../docs/describe.ts';
import { listNotConfigured, listUnavailable, noLongerDifferent, notConfirmed } from './price-list-errors.ts';
import { compareBody, comparisonSchema, priceListSchema, takenOverSchema, takeOverBody } from './price-list-schemas.ts';

const common = { tag: 'Operators', permission: 'operator' } as const;
const listErrors = [notAPriceList('it is not JSON'), listUnavailable(), noCatalogueYet()];

export const getPriceListDocs = describe({
  ...common,
  id: 'getPriceList',
  summary: 'The price list that the catalogue is compared with daily',
  description: 'The last attempt, and what the list said differently when it was compared last.',
  response: { description: 'The price list.', schema: priceListSchema },
});

export const comparePriceListDocs = describe({
  ...common,
  id: 'comparePriceList',
  summary: 'Compare the catalogue with a published price list',
  description:
    "Says what the list says differently from the current catalogue: about the providers' prices, before the markup, and about the " +
    'models. Nothing is changed.',
  body: { schema: compareBody },
  response: { description: 'What the list says differently.', schema: comparisonSchema },
  errors: [...listErrors, listNotConfigured()],
});

export const takeOverDocs = describe({
  ...common,
  id: 'takeOverPriceList',
  summary: 'Take over what a price list says differently',
  description:
    'Makes a catalogue file of the current one and the differences that are named. Nothing is changed: check the file with ' +
    '`POST /api/operator/catalogue/preview`, and apply or schedule it.',
  body: { schema: takeOverBody },
  response: { description: 'The changed file.', schema: takenOverSchema },
  errors: [...listErrors, noLongerDifferent('gpt-4o-mini', 'prompt', 0), notConfirmed(0)],
});
