/** An amount of money to pay, as people type it: above 0, with at most the kopecks or cents. */
import { signOf } from '../../app/money/format-money.ts';
import { parseAmount } from '../../app/money/parse-amount.ts';

/** Undefined if it is none. */
export function parsePaid(text: string): string | undefined {
  const amount = parseAmount(text);
  return amount !== undefined && signOf(amount) > 0 && /^\d+(?:\.\d{1,2})?$/.test(amount) ? amount : undefined;
}
