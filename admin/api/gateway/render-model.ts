/** Renders a model of the price list, in USD and at a rate in roubles. */
import {
  formatPricePerImage,
  formatRubPerImage,
  formatRubPerMillionTokens,
  type RubPerUsd,
} from '../../../shared/money.ts';
import { perTokenPrice } from '../../../shared/usage/billable-units.ts';
import { renderPrices } from '../../catalogue/price-history.ts';
import type { ListedModel } from '../../catalogue/price-list.ts';
import type { modelSchema } from './models-schemas.ts';

export function renderModel(
  { prices, images, since, ...model }: ListedModel,
  rate: RubPerUsd,
): typeof modelSchema.static {
  return {
    ...model,
    pricesSince: since.toISOString(),
    perMillionTokens: renderPrices(prices),
    perMillionTokensRub: perTokenPrice(({ price }) => formatRubPerMillionTokens(prices[price], rate)),
    perImage: images.map(({ size, quality, price }) => ({
      size,
      quality,
      price: formatPricePerImage(price),
      priceRub: formatRubPerImage(price, rate),
    })),
  };
}
