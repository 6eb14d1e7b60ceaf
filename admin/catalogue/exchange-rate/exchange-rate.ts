/**
 * Roubles per dollar, with its source and date. In force is the Bank of Russia's newest rate, or the configured one if
 * there is none or the bank is switched off.
 */
import type { Sql } from 'postgres';
import { type RubPerUsd, rubRate } from '../../../shared/money.ts';

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

interface RateRow {
  readonly date: string;
  readonly rub_per_usd: string;
  readonly read_at: Date;
}

export async function readRate(sql: Sql, config: RateConfig): Promise<ExchangeRate> {
  if (config.cbrUrl === undefined) return configuredRate(config);
  return (await readStoredRate(sql))?.rate ?? configuredRate(config);
}

/** The bank's newest rate, and when the bank last responded, with any date. */
export async function readStoredRate(sql: Sql): Promise<{ rate: ExchangeRate; readAt: Date } | undefined> {
  const [row] = await sql<RateRow[]>`
    SELECT date::text, rub_per_usd, (SELECT max(read_at) FROM exchange_rates) AS read_at
    FROM exchange_rates ORDER BY exchange_rates.date DESC LIMIT 1`;
  if (row === undefined) return undefined;
  return { rate: { rubPerUsd: rubRate(BigInt(row.rub_per_usd)), date: row.date, source: 'cbr' }, readAt: row.read_at };
}

const cachedMs = 10_000;

/** For callers that need the rate many times a second: reads Postgres every ten seconds. */
export class RateCache {
  readonly #sql: Sql;
  readonly #config: RateConfig;
  #rate: ExchangeRate | undefined;
  #readAtMs = 0;

  constructor(sql: Sql, config: RateConfig) {
    this.#sql = sql;
    this.#config = config;
  }

  async current(): Promise<ExchangeRate> {
    if (this.#rate === undefined || performance.now() - this.#readAtMs > cachedMs) {
      this.#rate = await readRate(this.#sql, this.#config);
      this.#readAtMs = performance.now();
    }
    return this.#rate;
  }
}
