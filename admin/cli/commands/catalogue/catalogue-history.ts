/** `gateway catalogue history`: every price that a model has had. */
import { GatewayError } from '../../../../shared/errors.ts';
import { billableUnits, changedUnits, tokenUnits } from '../../../../shared/usage/billable-units.ts';
import { formatVariant } from '../../../../shared/usage/image-prices.ts';
import { formatRate } from '../../../../shared/usage/rates.ts';
import { type PriceVersion, type RenderedPrices, readPriceHistory } from '../../../catalogue/price-history.ts';
import { command } from '../../command.ts';
import { listOf } from '../../list.ts';
import { withDatabase } from '../../with-database.ts';

const priceOf =
  (name: keyof RenderedPrices) =>
  ({ listed, provider }: PriceVersion) =>
    `$${listed[name]} (of $${provider[name]})`;

const imagesOf = ({ images }: PriceVersion) =>
  images.map((image) => `${formatVariant(image)} $${image.listed} (of $${image.provider})`).join(', ');

/** `flex prompt $0.5 (of $0.4), completion …; >200000 prompt …`: what differs from usual and follows no other price. */
const ratesOf = (version: PriceVersion) =>
  version.rates
    .map((rate) => {
      const name = formatRate({ tier: rate.serviceTier, above: rate.abovePromptTokens });
      const changed = changedUnits(rate.listed, version.listed);
      const prices = changed.map(({ price, label }) => `${label} $${rate.listed[price]} (of $${rate.provider[price]})`);
      return `${name} ${prices.join(', ')}`;
    })
    .join('; ');

const columns = {
  VERSION: ({ version }: PriceVersion) => version,
  FROM: ({ effectiveFrom }: PriceVersion) => effectiveFrom,
  MARKUP: ({ markup }: PriceVersion) => `× ${markup}`,
  ...Object.fromEntries(tokenUnits.map(({ label, price }) => [label.toUpperCase(), priceOf(price)])),
  [billableUnits.images.label.toUpperCase()]: imagesOf,
  'PER UNIT': ({ perUnit }: PriceVersion) =>
    perUnit.map(({ unit, listed, provider }) => `${unit} $${listed} (of $${provider})`).join(', '),
  RATES: ratesOf,
};

export const catalogueHistory = command({
  description: 'Show the prices of a model since it was added, newest first',
  args: { model: { type: 'positional', required: true, description: 'The id of the model' } },
  run: ({ model }) =>
    withDatabase(async ({ db }) => {
      const prices = await readPriceHistory(db, model);
      if (prices.length === 0) {
        throw new GatewayError('model_not_found', `Unknown model: ${model} is in no catalogue, current or past.`, {
          param: 'model',
        });
      }
      return { text: listOf(prices, { none: '', columns }), object: { model, prices } };
    }),
});
