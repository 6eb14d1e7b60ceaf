/** What part of an amount another one is. */
import { unitsOf } from '../../app/money/decimal.ts';

const hundredths = 10_000n;

/** Rounded down to hundredths, so that 100 % is never more than there is. Of nothing, everything is 100 %. */
export function percentOf(part: string, whole: string): number {
  const wholeUnits = unitsOf(whole);
  if (wholeUnits <= 0n) return 100;
  return Number((unitsOf(part) * hundredths) / wholeUnits) / 100;
}
