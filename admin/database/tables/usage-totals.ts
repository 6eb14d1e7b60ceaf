/**
 * Usage per quarter of an hour, assignment of a key and model: sums of usage events, updated in the transaction that books them.
 * Quarters of an hour, because days of every time zone consist of whole ones.
 */
import { bigint, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { totalColumns } from './unit-columns.ts';

const count = (name: string) => bigint(name, { mode: 'number' }).notNull();

export const usageTotals = pgTable(
  'usage_totals',
  {
    accountId: bigint('account_id', { mode: 'number' }).notNull(),
    /** The start of the quarter of an hour. */
    bucket: timestamp('bucket_15m', { withTimezone: true }).notNull(),
    /** Of `key_assignments`: in which project the key was, and whose. The key's own id if it had never been moved. */
    assignmentId: bigint('key_id', { mode: 'number' }).notNull(),
    model: text().notNull(),
    requests: count('requests'),
    ...totalColumns(),
    costNano: bigint('cost_nano', { mode: 'bigint' }).notNull(),
    lastChargedAt: timestamp('last_charged_at', { withTimezone: true }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.bucket, table.assignmentId, table.model] }),
    index('usage_totals_key').on(table.assignmentId, table.bucket),
  ],
);
