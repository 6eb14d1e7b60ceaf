/** Roubles per dollar, with its source and date. */
import type { RubPerUsd } from '../../../shared/money.ts';

export interface ExchangeRate {
  readonly rubPerUsd: RubPerUsd;
  /** `2026-11-21`, the date that the bank set it for; null for the configured rate. */
  readonly date: string | null;
  /** The Bank of Russia, or the configuration's USD_RUB_RATE. */
  readonly source: 'cbr' | 'configured';
}

export interface RateConfig {
  readonly rubPerUsd: RubPerUsd;
  readonly cbrUrl: string | undefined;
}

export function configuredRate({ rubPerUsd }: Pick<RateConfig, 'rubPerUsd'>): ExchangeRate {
  return { rubPerUsd, date: null, source: 'configured' };
}
