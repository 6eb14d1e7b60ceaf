/** Prices per token, where a test does not care for all of them: what is not given costs what its whole does. */
import type { Prices } from '../../proxy/pricing/catalogue.ts';
import type { TokenPrice } from '../../shared/usage/billable-units.ts';
import { readTokenPrices } from '../../shared/usage/token-prices.ts';

export function pricesAt(
  given: { readonly prompt: bigint; readonly completion: bigint } & Partial<Record<TokenPrice, bigint>>,
): Prices {
  const known: Partial<Record<TokenPrice, bigint>> = given;
  return { version: 1, ...readTokenPrices((price) => known[price]) };
}
