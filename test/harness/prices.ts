/** Prices per token for tests that only care about some of them: a missing price is that of the whole. */
import type { Prices } from '../../proxy/pricing/catalogue.ts';
import type { TokenPrice } from '../../shared/usage/billable-units.ts';
import { readTokenPrices } from '../../shared/usage/token-prices.ts';

export function pricesAt(
  given: { readonly prompt: bigint; readonly completion: bigint } & Partial<Record<TokenPrice, bigint>>,
): Prices {
  const known: Partial<Record<TokenPrice, bigint>> = given;
  return { version: 1, ...readTokenPrices((price) => known[price]) };
}
