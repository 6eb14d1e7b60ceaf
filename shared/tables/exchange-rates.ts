/** Rates of the Bank of Russia: the ones that came into force, and those that were asked for later, by day. */
import { bigint, date, pgTable, timestamp } from 'drizzle-orm/pg-core';

/** One row per date. The newest is in force until a newer one is stored. */
export const exchangeRates = pgTable('exchange_rates', {
  /** The date that the bank set the rate for. */
  date: date({ mode: 'string' }).primaryKey(),
  /** Roubles for one US dollar in ten-thousandths, the bank's own precision. */
  rubPerUsd: bigint('rub_per_usd', { mode: 'bigint' }).notNull(),
  /** When the bank last returned it. */
  readAt: timestamp('read_at', { withTimezone: true }).notNull(),
});

/** The rate that was in force on a past day, as the bank answered later. */
export const ratesOfDays = pgTable('rates_of_days', {
  day: date({ mode: 'string' }).primaryKey(),
  /** The date that the bank set it for: the day itself, or the last working day before. */
  date: date({ mode: 'string' }).notNull(),
  rubPerUsd: bigint('rub_per_usd', { mode: 'bigint' }).notNull(),
});
