/** An amount of money to pay, as people type it: above 0, with at most the kopecks or cents. */
import { parseAmount, signOf } from '../../app/money/format-money.ts';

/** Undefined if it is none. */
export function parsePaid(text: string): string | undefined {
  const amount = parseAmount(text.replace(/\s|₽/g, ''));
  return amount !== undefined && signOf(amount) > 0 && /^\d+(?:\.\d{1,2})?$/.test(amount) ? amount : undefined;
}
