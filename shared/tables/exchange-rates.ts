/** Rates of the Bank of Russia, one row per date. The newest is in force until a newer one is stored. */
import { bigint, date, pgTable, timestamp } from 'drizzle-orm/pg-core';

export const exchangeRates = pgTable('exchange_rates', {
  /** The date that the bank set the rate for. */
  date: date({ mode: 'string' }).primaryKey(),
  /** Roubles for one US dollar in ten-thousandths, the bank's own precision. */
  rubPerUsd: bigint('rub_per_usd', { mode: 'bigint' }).notNull(),
  /** When the bank last returned it. */
  readAt: timestamp('read_at', { withTimezone: true }).notNull(),
});
