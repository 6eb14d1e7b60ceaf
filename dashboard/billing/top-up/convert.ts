/** What an amount tops the balance up by, as the API computes it. */
import { decimalOf, unitsOf } from '../../app/money/decimal.ts';

export interface Conversion {
  /** Roubles per dollar. */
  readonly perUsd: string;
  /** Markup on that rate, in percent. */
  readonly marginPercent: string;
}

const nanoDecimals = 9;
const nanoPerDollar = 10n ** BigInt(nanoDecimals);
const wholePercent = unitsOf('100');

/** USD = roubles ÷ (rate × (1 + margin ÷ 100)), rounded down to a nano-dollar. */
export function dollarsFor(roubles: string, { perUsd, marginPercent }: Conversion): string {
  const paid = unitsOf(roubles) * nanoPerDollar * wholePercent;
  return decimalOf(paid / (unitsOf(perUsd) * (wholePercent + unitsOf(marginPercent))), nanoDecimals);
}
