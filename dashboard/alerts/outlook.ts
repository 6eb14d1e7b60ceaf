/** What the next email depends on, given the settings that are saved and the balance now. */
import { signOf } from '../app/money/format-money.ts';
import { kopecksOf, rubOf } from './roubles.ts';

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
  const threshold = kopecksOf(settings.lowBalanceThresholdRub);
  if (threshold === 0n) return { state: 'noThreshold' };
  const balance = kopecksOf(balanceRubDecimal);
  return balance < threshold ? { state: 'below' } : { state: 'above', distance: rubOf(balance - threshold) };
}
