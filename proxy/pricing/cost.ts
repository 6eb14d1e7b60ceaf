/** What metered usage costs, at the prices frozen into the hold. */
import { type CostPart, costOf, type NanoUsd, type PicoUsdPerToken } from '../../shared/money.ts';
import { countWithoutParts, tokenUnits } from '../../shared/usage/billable-units.ts';
import { highestPriceOf } from '../../shared/usage/token-prices.ts';
import type { Usage } from '../nouns/usage.ts';
import type { Prices } from './catalogue.ts';

/** The highest price that an output token can have. */
export function maxOutputPrice(prices: Prices): PicoUsdPerToken {
  return highestPriceOf(prices, 'completion');
}

export function costOfUsage(prices: Prices, usage: Usage): NanoUsd {
  const parts: CostPart[] = [];
  for (const { name, price } of tokenUnits) {
    const count = countWithoutParts(usage, name);
    if (count !== 0) parts.push({ count, price: prices[price] });
  }
  if (usage.images > 0) parts.push(imagesPart(prices, usage.images));
  return costOf(parts);
}

/** So many images of the size and quality that are wanted. */
export function imagesPart({ image }: Prices, count: number): CostPart {
  if (image === undefined) throw new Error('images without a price');
  return { count, price: image.price };
}
