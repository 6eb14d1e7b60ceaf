/** How much a price changes, as people say it. */
import { decimalOf, unitsOf } from '../../../app/money/decimal.ts';

/** By how many percent `after` is above `before`, to a tenth; undefined if `before` is 0. */
export function percentChange(before: string, after: string): string | undefined {
  const from = unitsOf(before);
  if (from === 0n) return undefined;
  const tenths = ((unitsOf(after) - from) * 1_000n) / (from < 0n ? -from : from);
  return decimalOf(tenths, 1);
}
