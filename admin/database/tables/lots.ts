/**
 * Roubles of usage. Each credit is a lot with its dollars and its roubles; usage consumes lots first in, first out, and
 * takes their roubles with it. All of it follows from the ledger's lines in their order, and can be computed again from
 * the beginning with the same result.
 *
 * A deferred trigger refuses a lot whose parts do not sum to what it says was used and returned (see
 * drizzle/0026_payments.sql).
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  check,
  date,
  index,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { payments } from './payments.ts';

const money = (name: string) => bigint(name, { mode: 'bigint' });
const none = sql`0`;

export const lots = pgTable(
  'lots',
  {
    /** The ledger line that credited it, which also orders an account's lots. */
    lineId: bigint('line_id', { mode: 'number' }).primaryKey(),
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    /** Null for dollars that were not paid for; then it has no roubles. */
    paymentId: uuid('payment_id').references(() => payments.id),
    nano: money('nano').notNull(),
    kopecks: money('kopecks').notNull(),
    usedNano: money('used_nano').notNull().default(none),
    usedKopecks: money('used_kopecks').notNull().default(none),
    returnedNano: money('returned_nano').notNull().default(none),
    returnedKopecks: money('returned_kopecks').notNull().default(none),
  },
  (table) => [
    uniqueIndex('lots_payment').on(table.paymentId),
    index('lots_account').on(table.accountId, table.lineId),
    check('lot_has_dollars', sql`${table.nano} > 0 AND ${table.kopecks} BETWEEN 0 AND ${table.nano}`),
    check('lot_has_roubles_if_paid', sql`${table.paymentId} IS NOT NULL OR ${table.kopecks} = 0`),
    check(
      'lot_never_below_zero',
      sql`${table.usedNano} >= 0 AND ${table.returnedNano} >= 0 AND ${table.usedNano} + ${table.returnedNano} <= ${table.nano}
        AND ${table.usedKopecks} >= 0 AND ${table.returnedKopecks} >= 0
        AND ${table.usedKopecks} + ${table.returnedKopecks} <= ${table.kopecks}`,
    ),
    check(
      'lot_parts_make_the_whole',
      sql`${table.usedNano} + ${table.returnedNano} < ${table.nano}
        OR ${table.usedKopecks} + ${table.returnedKopecks} = ${table.kopecks}`,
    ),
  ],
);

/** What usage of a month, or refunds of that month, took from a lot. Negative where a correction gave more back. */
export const lotParts = pgTable(
  'lot_parts',
  {
    lotLineId: bigint('lot_line_id', { mode: 'number' })
      .notNull()
      .references(() => lots.lineId),
    /** The first day of the month. */
    month: date({ mode: 'string' }).notNull(),
    kind: text({ enum: ['usage', 'return'] }).notNull(),
    nano: money('nano').notNull(),
    kopecks: money('kopecks').notNull(),
  },
  (table) => [primaryKey({ columns: [table.lotLineId, table.month, table.kind] })],
);

/**
 * What refunds of a payment took from a lot and what has not come back to it, so that a won dispute reopens the lots that it
 * has shortened. What versions without this table have counted is not in it.
 */
export const lotReturns = pgTable(
  'lot_returns',
  {
    lotLineId: bigint('lot_line_id', { mode: 'number' })
      .notNull()
      .references(() => lots.lineId),
    paymentId: uuid('payment_id')
      .notNull()
      .references(() => payments.id),
    nano: money('nano').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.lotLineId, table.paymentId] }),
    check('lot_return_never_below_zero', sql`${table.nano} >= 0`),
  ],
);

/** How far an account's lines have been counted. */
export const lotProgress = pgTable('lot_progress', {
  accountId: bigint('account_id', { mode: 'number' })
    .primaryKey()
    .references(() => accounts.id),
  /** The last counted line. */
  lineId: bigint('line_id', { mode: 'number' }).notNull(),
  /** The usage of the counted lines, and how many of them are credits: the account's own once every line is counted. */
  spentNano: money('spent_nano').notNull(),
  credits: bigint({ mode: 'number' }).notNull(),
  /** Usage that no lot covers yet. */
  uncoveredNano: money('uncovered_nano').notNull(),
  /** The latest time of a counted line, near which new lines are looked for first. */
  countedTo: timestamp('counted_to', { withTimezone: true }).notNull(),
});

/** Months of an account whose act is issued. Lines after `throughLineId` count for a later month. */
export const closedMonths = pgTable(
  'closed_months',
  {
    accountId: bigint('account_id', { mode: 'number' })
      .notNull()
      .references(() => accounts.id),
    month: date({ mode: 'string' }).notNull(),
    throughLineId: bigint('through_line_id', { mode: 'number' }).notNull(),
    closedAt: timestamp('closed_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.month] })],
);
