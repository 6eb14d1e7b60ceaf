/** The rate that was in effect on a day: for payments, whose money may have arrived days before they are booked. */
import type { Sql } from 'postgres';
import { rubRate } from '../../../shared/money.ts';
import { configuredRate, type ExchangeRate, type RateConfig, readRate, readStoredRate } from './exchange-rate.ts';
import { fetchCbrRate } from './fetch-cbr-rate.ts';
import { moscowDay } from './rate-schedule.ts';

interface DayQuestion {
  /** `2026-11-21`, a day in Moscow. */
  readonly day: string;
  readonly now: Date;
}

/**
 * The bank is queried once for each past day. Today's rate is the one in effect, whether or not the bank can be reached.
 * Throws if the bank does not return the rate in effect on a past day.
 */
export async function rateOfDay(sql: Sql, config: RateConfig, { day, now }: DayQuestion): Promise<ExchangeRate> {
  const { cbrUrl } = config;
  if (cbrUrl === undefined) return configuredRate(config);
  const today = moscowDay(now);
  if (day >= today) {
    const kept = await readStoredRate(sql);
    if (kept !== undefined && moscowDay(kept.readAt) === today) return kept.rate;
  }
  const known = await readRateOfDay(sql, day);
  if (known !== undefined) return known;
  try {
    const rate = await fetchCbrRate({ url: cbrUrl, day });
    await sql`
      INSERT INTO rates_of_days (day, date, rub_per_usd) VALUES (${day}, ${rate.date}, ${String(rate.rubPerUsd)})
      ON CONFLICT DO NOTHING`;
    return rate;
  } catch (error) {
    if (day < today) throw error;
    return readRate(sql, config);
  }
}

async function readRateOfDay(sql: Sql, day: string): Promise<ExchangeRate | undefined> {
  const [row] = await sql<{ date: string; rub_per_usd: string }[]>`
    SELECT date::text, rub_per_usd FROM rates_of_days WHERE day = ${day}`;
  return row && { rubPerUsd: rubRate(BigInt(row.rub_per_usd)), date: row.date, source: 'cbr' };
}
