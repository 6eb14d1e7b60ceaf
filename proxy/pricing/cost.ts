/** What metered usage costs, at the prices frozen into the hold. */
import { type CostPart, costOf, type NanoUsd, type PicoUsdPerToken } from '../../shared/money.ts';
import { countWithoutParts, eachUnits, tokenUnits, type UnitCounts } from '../../shared/usage/billable-units.ts';
import { highestPrices } from '../../shared/usage/rate-prices.ts';
import { isReached } from '../../shared/usage/rates.ts';
import { highestPriceOf, type TokenPrices } from '../../shared/usage/token-prices.ts';
import { noUsage, type Usage } from '../nouns/usage.ts';
import type { PricedModel, Prices } from './catalogue.ts';
import { appliedRate } from './price-call.ts';

const nothing: readonly CostPart[] = [];

/** Those of the rate that applies. */
export function pricesOf(model: PricedModel, usage: Usage): TokenPrices {
  return appliedRate(model, usage)?.prices ?? model.prices;
}

/** The highest of each that a request of this model can reach, whose prompt has no more tokens than this. */
export function reachablePrices({ prices, rates }: PricedModel, promptTokensMax: number): TokenPrices {
  if (rates === undefined || rates.length === 0) return prices;
  const reached = rates.filter((rate) => isReached(rate, promptTokensMax));
  return highestPrices(
    reached.map((rate) => rate.prices),
    prices,
  );
}

/** The highest price that an output token can have. */
export function maxOutputPrice(prices: TokenPrices): PicoUsdPerToken {
  return highestPriceOf(prices, 'completion');
}

export function costOfUsage(model: PricedModel, usage: Usage): NanoUsd {
  const prices = pricesOf(model, usage);
  const parts: CostPart[] = [];
  for (const { name, price } of tokenUnits) {
    const count = countWithoutParts(usage, name);
    if (count !== 0) parts.push({ count, price: prices[price] });
  }
  if (usage.images > 0 || model.prices.each !== undefined) parts.push(...partsOfUnits(model.prices, usage));
  return costOf(parts);
}

/** With the request itself, where it has a price, and without what the model has no price for. */
export function countPriced({ prices: { each } }: PricedModel, usage: Usage): Usage {
  if (each === undefined && eachUnits.every(({ name }) => usage[name] === 0)) return usage;
  const counted = { ...usage, pricedRequests: 1 };
  for (const { name, price } of eachUnits) if (each?.[price] === undefined) counted[name] = 0;
  return counted;
}

/** What is counted one by one instead of in tokens. Images are of the size and quality that are wanted. */
export function partsOfUnits({ image, each = {} }: Prices, counts: UnitCounts): readonly CostPart[] {
  if (counts === noUsage) return nothing;
  const parts: CostPart[] = eachUnits.flatMap(({ name, price: priceName }) => {
    const price = each[priceName];
    return price === undefined || counts[name] === 0 ? [] : [{ count: counts[name], price }];
  });
  if (counts.images === 0) return parts;
  if (image === undefined) throw new Error('images without a price');
  return [{ count: counts.images, price: image.price }, ...parts];
}
