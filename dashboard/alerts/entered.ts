/** What is typed into the settings of alerts, as the API takes it. */
import { compareDecimals } from '../app/money/decimal.ts';
import { parseAmount } from '../app/money/parse-amount.ts';

const thresholdMax = '10000000';

/** A threshold in roubles, such as `1 500` or `99,50`; undefined if the API would refuse it. */
export function parseThreshold(text: string): string | undefined {
  const rub = parseAmount(text);
  if (rub === undefined || !/^\d+(?:\.\d{1,2})?$/.test(rub)) return undefined;
  return compareDecimals(rub, thresholdMax) <= 0 ? rub : undefined;
}

/** Hours, such as `24` or `1,5`; undefined if the text is none. */
export function parseHours(text: string): number | undefined {
  const hours = text.trim().replace(',', '.');
  return /^\d+(?:\.\d+)?$/.test(hours) ? Number(hours) : undefined;
}
