/** What the next email depends on, given the settings that are saved and the balance now. */
import { decimalOf, unitsOf } from '../app/money/decimal.ts';
import { signOf } from '../app/money/format-money.ts';

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
