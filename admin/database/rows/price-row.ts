/** The prices of one version of a model, as they are stored. */
import { picoUsdEach } from '../../../shared/money.ts';
import { type EachPrices, readEachPrices } from '../../../shared/usage/each-prices.ts';
import { decodePrices, type Rate } from '../../../shared/usage/rate-prices.ts';
import { readTokenPrices, type TokenPrices } from '../../../shared/usage/token-prices.ts';
import type { modelPrices } from '../tables/catalogue.ts';
import { type PriceSide, priceColumnOf } from '../tables/price-columns.ts';

export type PriceRow = typeof modelPrices.$inferSelect;

/** What customers pay for each size and quality, and what the gateway pays. */
export function imagePrices({ imagePrices: rows }: PriceRow) {
  return (rows ?? []).map(({ size, quality, listedPico, providerPico }) => ({
    size,
    quality,
    listed: picoUsdEach(BigInt(listedPico)),
    provider: picoUsdEach(BigInt(providerPico)),
  }));
}

/** What customers pay. */
export function listedPrices(price: PriceRow): TokenPrices {
  return readTokenPrices((name) => price[priceColumnOf(name, 'listed')]);
}

/** What the gateway pays, before the markup. */
export function providerPrices(price: PriceRow): TokenPrices {
  return readTokenPrices((name) => price[priceColumnOf(name, 'provider')]);
}

/** What is counted one by one: what customers pay, or what the gateway pays. */
export function eachPrices(price: PriceRow, side: PriceSide): EachPrices {
  return readEachPrices((name) => price[priceColumnOf(name, side)]);
}

/** The prices for long prompts and other service tiers: what customers pay, or what the gateway pays. */
export function ratesOf({ rates }: PriceRow, side: PriceSide): Rate[] {
  return (rates ?? []).map((rate) => ({ tier: rate.tier, above: rate.above, prices: decodePrices(rate[side]) }));
}
