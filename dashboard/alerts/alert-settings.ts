/** The settings of alerts: what is typed into them, as the API takes it, and what the next email depends on. */
import { compareDecimals, decimalOf, unitsOf } from '../app/money/decimal.ts';
import { signOf } from '../app/money/format-money.ts';
import { parseAmount } from '../app/money/parse-amount.ts';

interface Settings {
  readonly emailNotificationsEnabled: boolean;
  readonly lowBalanceThresholdRub: string;
}

interface Balance {
  readonly balanceUsd: string;
  /** Rounded down to a kopeck, so it is below a threshold exactly if the balance is. */
  readonly balanceRubDecimal: string;
}

export type Outlook =
  | { readonly state: 'off' | 'usedUp' | 'below' | 'noThreshold' }
  /** `distance`: how much can be spent before, in roubles. */
  | { readonly state: 'above'; readonly distance: string };

export function outlookOf(settings: Settings, { balanceUsd, balanceRubDecimal }: Balance): Outlook {
  if (!settings.emailNotificationsEnabled) return { state: 'off' };
  if (signOf(balanceUsd) <= 0) return { state: 'usedUp' };
  if (signOf(settings.lowBalanceThresholdRub) === 0) return { state: 'noThreshold' };
  const distance = unitsOf(balanceRubDecimal) - unitsOf(settings.lowBalanceThresholdRub);
  return distance < 0n ? { state: 'below' } : { state: 'above', distance: decimalOf(distance) };
}

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
