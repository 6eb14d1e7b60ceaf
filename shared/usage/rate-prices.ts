/** What each rate of a model costs, and how that is stored. */
import type { PicoUsdPerToken } from '../money.ts';
import { perTokenPrice, type TokenPrice, tokenUnits } from './billable-units.ts';
import type { RateCondition } from './rates.ts';
import { readTokenPrices, type TokenPrices } from './token-prices.ts';

export interface Rate extends RateCondition {
  readonly prices: TokenPrices;
}

/** By the names of the prices per token, as decimal strings of pico-USD. */
export type EncodedPrices = { readonly [Price in TokenPrice]?: string };

/** An item of `model_prices.rates`. */
export interface StoredRate extends RateCondition {
  readonly provider: EncodedPrices;
  readonly listed: EncodedPrices;
}

export function encodePrices(prices: TokenPrices): EncodedPrices {
  return perTokenPrice(({ price }) => String(prices[price]));
}

/** A version that knew fewer units left their prices out: they cost what the unit costs that they are part of. */
export function decodePrices(encoded: EncodedPrices): TokenPrices {
  return readTokenPrices((price) => encoded[price]);
}

/** The highest of each price. */
export function highestPrices(all: readonly TokenPrices[], first: TokenPrices): TokenPrices {
  const highest: { [Price in TokenPrice]: PicoUsdPerToken } = { ...first };
  for (const prices of all) {
    for (const { price } of tokenUnits) if (prices[price] > highest[price]) highest[price] = prices[price];
  }
  return highest;
}
