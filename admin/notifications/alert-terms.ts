/** The inputs of alert decisions besides balances and settings: passed in, so that no decision reads a clock. */
import type { ExchangeRate } from '../catalogue/exchange-rate/exchange-rate.ts';

export interface AlertTerms {
  /** Thresholds are roubles, balances are dollars. */
  readonly rate: ExchangeRate;
  readonly at: Date;
}
