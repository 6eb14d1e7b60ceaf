/**
 * Usage per quarter of an hour, assignment of a key and model: sums of usage events, updated in the transaction that books them.
 * Quarters of an hour, because days of every time zone consist of whole ones.
 */
import { bigint, date, index, integer, pgTable, primaryKey, smallint, text, timestamp } from 'drizzle-orm/pg-core';
import { totalColumns, totalLists } from './unit-columns.ts';

/** A month is archived when it has been over for two others, and its requests were charged by then. */
export const youngestArchivedDays = 45;

/** Today's totals and those of so many whole days before, by UTC, are rows, because many charges change them. */
export const totalsAsRowsDays = 1;

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

/**
 * What `usage_totals` had of days that are over: up to thousands of an account's rows as lists, which Postgres compresses.
 * `usage_totals_between` (drizzle/0056_archived_totals.sql) and `key_costs_between` (0061_packed_totals.sql) read both alike.
 */
export const archivedTotals = pgTable(
  'archived_totals',
  {
    accountId: bigint('account_id', { mode: 'number' }).notNull(),
    /** Its first day, by UTC. */
    month: date({ mode: 'string' }).notNull(),
    /** From 0. A month has one for each time that something of it was moved here, or more. */
    part: integer().notNull(),
    firstQuarter: smallint('first_quarter').notNull(),
    lastQuarter: smallint('last_quarter').notNull(),
    /** Each assignment once, with all that it cost, and its last charge. */
    assignmentIds: bigint('key_ids', { mode: 'number' }).array().notNull(),
    assignmentCostsNano: bigint('key_costs_nano', { mode: 'bigint' }).array().notNull(),
    assignmentsLastChargedAt: timestamp('keys_last_charged_at', { withTimezone: true }).array().notNull(),
    /** Each model once. */
    models: text().array().notNull(),
    /** From here on, each list has an element for each former row. Quarters of an hour since the month began. */
    quarters: smallint().array().notNull(),
    /** Places in the lists above, from 1. */
    assignmentNumbers: integer('key_numbers').array().notNull(),
    modelNumbers: integer('model_numbers').array().notNull(),
    requests: bigint({ mode: 'number' }).array().notNull(),
    ...totalLists(),
    costsNano: bigint('costs_nano', { mode: 'bigint' }).array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.month, table.part] })],
);
