/**
 * What was used in each quarter of an hour, by key and model: sums of usage events, kept in the transaction that books
 * them. Quarters of an hour, because days of every time zone are made of them.
 */
import { bigint, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { perUnit } from '../usage/billable-units.ts';

const count = (name: string) => bigint(name, { mode: 'number' }).notNull();

export const usageTotals = pgTable(
  'usage_totals',
  {
    accountId: bigint('account_id', { mode: 'number' }).notNull(),
    /** The beginning of the quarter of an hour. */
    bucket: timestamp('bucket_15m', { withTimezone: true }).notNull(),
    keyId: bigint('key_id', { mode: 'number' }).notNull(),
    model: text().notNull(),
    requests: count('requests'),
    ...perUnit(({ column }) => count(column).default(0)),
    costNano: bigint('cost_nano', { mode: 'bigint' }).notNull(),
    lastChargedAt: timestamp('last_charged_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.bucket, table.keyId, table.model] }),
    index('usage_totals_key').on(table.keyId, table.bucket),
  ],
);
