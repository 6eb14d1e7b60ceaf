/**
 * What the usage of an organization is attributed to besides keys, projects and members: what its clients say in `user`, and
 * under names of `metadata`. Values are personal data, so only `dimension_values` has their texts, and they are erased with the
 * account.
 */
import { bigint, boolean, date, index, pgTable, primaryKey, text, timestamp, unique } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { totalColumns } from './unit-columns.ts';

/** One that is switched off stays, because usage is attributed to it. */
export const dimensions = pgTable(
  'dimensions',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    /** As in dimension-names.ts. */
    name: text().notNull(),
    active: boolean().notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [unique('dimensions_name_unique').on(table.accountId, table.name)],
);

/** What a dimension had in a month, by UTC: at most 1,000 values, and one row for all others. */
export const dimensionValues = pgTable(
  'dimension_values',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    dimensionId: bigint('dimension_id', { mode: 'number' })
      .notNull()
      .references(() => dimensions.id),
    /** Its first day. */
    month: date().notNull(),
    /** Null stands for all that came when the month had its 1,000. */
    value: text(),
  },
  (table) => [
    unique('dimension_values_unique').on(table.dimensionId, table.month, table.value).nullsNotDistinct(),
    // Requests with a value are looked for in all months.
    index('dimension_values_value').on(table.dimensionId, table.value),
  ],
);

const count = (name: string) => bigint(name, { mode: 'number' }).notNull();

/** Sums of usage by value, like `usage_totals`. What has no value has no row. */
export const dimensionTotals = pgTable(
  'dimension_totals',
  {
    dimensionId: bigint('dimension_id', { mode: 'number' }).notNull(),
    /** The start of the quarter of an hour. */
    bucket: timestamp('bucket_15m', { withTimezone: true }).notNull(),
    /** Of `dimension_values`. */
    valueId: bigint('value_id', { mode: 'number' }).notNull(),
    /** As in `usage_totals`. */
    assignmentId: bigint('key_id', { mode: 'number' }).notNull(),
    model: text().notNull(),
    requests: count('requests'),
    ...totalColumns(),
    costNano: bigint('cost_nano', { mode: 'bigint' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.dimensionId, table.bucket, table.valueId, table.assignmentId, table.model] }),
    // When there were requests with a value, for lists of them.
    index('dimension_totals_value').on(table.valueId, table.bucket),
  ],
);
