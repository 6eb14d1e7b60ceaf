/**
 * What each key was charged on each day (UTC): the sum of its usage, kept by the transaction that books it, because
 * nobody can add up millions of events whenever a list of keys is shown.
 */
import { bigint, date, pgTable, primaryKey, timestamp } from 'drizzle-orm/pg-core';

export const keyUsageDays = pgTable(
  'key_usage_days',
  {
    keyId: bigint('key_id', { mode: 'number' }).notNull(),
    /** When Redis charged it. */
    day: date({ mode: 'string' }).notNull(),
    spentNano: bigint('spent_nano', { mode: 'bigint' }).notNull(),
    lastChargedAt: timestamp('last_charged_at', { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.day] })],
);
