/** What alerts are decided by, besides balances and settings: given from outside, so that no decision reads a clock. */
import type { ExchangeRate } from '../exchange-rate/exchange-rate.ts';

export interface AlertTerms {
  /** Thresholds are roubles, balances are dollars. */
  readonly rate: ExchangeRate;
  readonly at: Date;
}
