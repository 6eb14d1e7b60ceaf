/** An amount of money to pay: as people type it, and what it tops the balance up by. */
import { decimalOf, unitsOf } from '../../app/money/decimal.ts';
import { signOf } from '../../app/money/format-money.ts';
import { parseAmount } from '../../app/money/parse-amount.ts';

/** As people type it: above 0, with at most the kopecks or cents. Undefined if it is none. */
export function parsePaid(text: string): string | undefined {
  const amount = parseAmount(text);
  return amount !== undefined && signOf(amount) > 0 && /^\d+(?:\.\d{1,2})?$/.test(amount) ? amount : undefined;
}

export interface Conversion {
  /** Roubles per dollar. */
  readonly perUsd: string;
  /** Markup on that rate, in percent. */
  readonly marginPercent: string;
}

const nanoDecimals = 9;
const nanoPerDollar = 10n ** BigInt(nanoDecimals);
const wholePercent = unitsOf('100');

/** As the API computes it: USD = roubles ÷ (rate × (1 + margin ÷ 100)), rounded down to a nano-dollar. */
export function dollarsFor(roubles: string, { perUsd, marginPercent }: Conversion): string {
  const paid = unitsOf(roubles) * nanoPerDollar * wholePercent;
  return decimalOf(paid / (unitsOf(perUsd) * (wholePercent + unitsOf(marginPercent))), nanoDecimals);
}
