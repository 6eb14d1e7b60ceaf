/** Renders a model of the price list, in USD and at a rate in roubles. */
import { formatPriceEach, formatRubEach, formatRubPerMillionTokens, type RubPerUsd } from '../../../shared/money.ts';
import { perTokenPrice } from '../../../shared/usage/billable-units.ts';
import { listEachPrices } from '../../../shared/usage/each-prices.ts';
import type { TokenPrices } from '../../../shared/usage/token-prices.ts';
import { renderCondition, renderPrices } from '../../catalogue/price-history.ts';
import type { ListedModel } from '../../catalogue/price-list.ts';
import type { modelSchema } from './models-schemas.ts';

export function renderModel(
  { prices, images, each, rates, providers, since, ...model }: ListedModel,
  rate: RubPerUsd,
): typeof modelSchema.static {
  return {
    ...model,
    pricesSince: since.toISOString(),
    ...renderBoth(prices, rate),
    perImage: images.map(({ size, quality, price }) => ({
      size,
      quality,
      price: formatPriceEach(price),
      priceRub: formatRubEach(price, rate),
    })),
    perUnit: listEachPrices(each).map(({ unit, price }) => ({
      unit,
      price: formatPriceEach(price),
      priceRub: formatRubEach(price, rate),
    })),
    providers: providers.map(({ publicName, country, retentionDays, trains }) => ({
      name: publicName ?? null,
      country: country ?? null,
      retentionDays: retentionDays ?? null,
      trainsOnRequests: trains ?? null,
    })),
    rates: rates.map((each) => ({ ...renderCondition(each), ...renderBoth(each.prices, rate) })),
  };
}

function renderBoth(prices: TokenPrices, rate: RubPerUsd) {
  return {
    perMillionTokens: renderPrices(prices),
    perMillionTokensRub: perTokenPrice(({ price }) => formatRubPerMillionTokens(prices[price], rate)),
  };
}
