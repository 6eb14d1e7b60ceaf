/**
 * Days of an account that are over, added up for charts: see admin/ledger/queries/usage/kept-days.ts. They can be made again at any time,
 * and are never purged: a row for each day, grouping and midnight that was asked for is little beside the totals that it sums up, and
 * adding them up again is what takes long. They name models and numbers of keys, nothing personal, so they outlive a deleted account as
 * the totals do.
 */
import { bigint, date, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

export const usageDays = pgTable(
  'usage_days',
  {
    accountId: bigint('account_id', { mode: 'number' }).notNull(),
    /** `model`, or `assignment`: where a key was, and whose. */
    grouping: text().notNull(),
    /** Midnight, in the time zone that was asked for. */
    starts: timestamp({ withTimezone: true }).notNull(),
    /** Exclusive: the next midnight there. */
    ends: timestamp({ withTimezone: true }).notNull(),
    /** Of the month, or of both months: the sum of their epochs. */
    epoch: bigint({ mode: 'number' }).notNull(),
    /** For each group an array: its name or number, requests, cost in nano-dollars, and the counts of units that are not 0. */
    sums: jsonb().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.grouping, table.starts, table.ends] })],
);

/** How often totals of a month, by UTC, were changed more than a day after their quarter of an hour. A month without a row has 0. */
export const usageEpochs = pgTable(
  'usage_epochs',
  {
    accountId: bigint('account_id', { mode: 'number' }).notNull(),
    /** Its first day. */
    month: date({ mode: 'string' }).notNull(),
    epoch: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.month] })],
);
