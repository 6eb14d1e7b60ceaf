/**
 * Fetches the Bank of Russia's rate when it is due, and stores it in Postgres for every replica. A failure is logged
 * once; the last good rate stays in effect.
 */
import type { Sql } from 'postgres';
import type { Log } from '../../../shared/log.ts';
import { formatRubPerUsd } from '../../../shared/money.ts';
import { type ExchangeRate, type RateConfig, readStoredRate } from './exchange-rate.ts';
import { fetchCbrRate } from './fetch-cbr-rate.ts';
import { isRateDue, moscowDay } from './rate-schedule.ts';

interface RateServices {
  readonly sql: Sql;
  readonly config: RateConfig;
  readonly log: Log;
  readonly now: () => Date;
}

/** The pause after a failure, so that an outage does not cause a request every minute. */
const pauseAfterFailureMs = 15 * 60_000;

export class RateKeeper {
  readonly #services: RateServices;
  #failedAt: Date | undefined;

  constructor(services: RateServices) {
    this.#services = services;
  }

  /** One step. Returns the rate if a new one was stored. */
  async keepFresh(): Promise<ExchangeRate | undefined> {
    const { sql, config, log, now } = this.#services;
    const { cbrUrl } = config;
    if (cbrUrl === undefined || this.#isPausing()) return undefined;
    const kept = await readStoredRate(sql);
    if (!isRateDue(kept?.readAt, now())) return undefined;
    try {
      const rate = await fetchCbrRate({ url: cbrUrl, day: moscowDay(now()) });
      await storeRate(sql, rate, now());
      this.#failedAt = undefined;
      log.info(
        { rubPerUsd: formatRubPerUsd(rate.rubPerUsd), date: rate.date },
        'exchange rate updated from the Bank of Russia',
      );
      return rate;
    } catch (error) {
      const inForce = kept === undefined ? 'USD_RUB_RATE' : `the rate of ${kept.rate.date}`;
      const level = this.#failedAt === undefined ? 'warn' : 'debug';
      log[level]({ err: error }, `cannot fetch the Bank of Russia's rate; ${inForce} stays in effect`);
      this.#failedAt = now();
      return undefined;
    }
  }

  #isPausing(): boolean {
    if (this.#failedAt === undefined) return false;
    return this.#services.now().getTime() - this.#failedAt.getTime() < pauseAfterFailureMs;
  }
}

/** On non-trading days the bank repeats an older date, so the time of the request is stored as well. */
async function storeRate(sql: Sql, rate: ExchangeRate, readAt: Date): Promise<void> {
  await sql`
    INSERT INTO exchange_rates (date, rub_per_usd, read_at)
    VALUES (${rate.date}, ${String(rate.rubPerUsd)}, ${readAt})
    ON CONFLICT (date) DO UPDATE SET rub_per_usd = excluded.rub_per_usd, read_at = excluded.read_at`;
}
