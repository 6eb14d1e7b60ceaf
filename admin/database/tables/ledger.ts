/**
 * The ledger: journals whose lines sum to zero. Append-only; triggers refuse UPDATE and DELETE, and a deferred
 * constraint refuses a journal that does not balance (see drizzle/0001_ledger_guards.sql).
 *
 * Lines are partitioned by the month of `created_at`. Journals are not: an idempotency key must be unique over all
 * months, and there is one journal for hundreds of lines.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  customType,
  index,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';

/** The number of a Postgres transaction, 64 bits. */
const transactionNumber = customType<{ data: string }>({ dataType: () => 'xid8' });

/** One posting: a batch of usage, a payment or a refund. */
export const journals = pgTable(
  'journals',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    type: text({ enum: ['usage', 'payment', 'refund'] }).notNull(),
    /** The reason; given by the operator for payments and refunds. */
    reason: text().notNull(),
    /** Repeating a payment or refund with the same key books nothing. */
    idempotencyKey: text('idempotency_key'),
    /** Lines may be added only by the transaction that inserted the journal. */
    madeBy: transactionNumber('made_by').notNull().default(sql`pg_current_xact_id()`),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [uniqueIndex('journals_idempotency_key_unique').on(table.idempotencyKey)],
);

/**
 * One side of a journal. `wallet` lines belong to an account and are the customer's transactions; `revenue` and
 * `cash` are the gateway's own sides.
 *
 * Journal and account are no foreign keys: a trigger checks them once per statement instead of twice per line.
 */
export const ledgerLines = pgTable(
  'ledger_lines',
  {
    id: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
    journalId: bigint('journal_id', { mode: 'number' }).notNull(),
    book: text({ enum: ['wallet', 'revenue', 'cash'] }).notNull(),
    accountId: bigint('account_id', { mode: 'number' }),
    /** Signed: negative takes from the book. */
    amountNano: bigint('amount_nano', { mode: 'bigint' }).notNull(),
    type: text({ enum: ['usage', 'payment', 'refund'] }).notNull(),
    description: text().notNull(),
    requestId: uuid('request_id'),
    model: text(),
    /** A compact charge whose event has been archived: it belongs to the month of that event. */
    isArchivedCharge: boolean('is_archived_charge').notNull().default(false),
    /** For usage, when Redis charged it; otherwise when it was booked. */
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    // It has to include the partition column. The journal comes first, so that it also serves look-ups by journal.
    primaryKey({ columns: [table.journalId, table.id, table.createdAt] }),
    index('ledger_lines_account').on(table.accountId, table.createdAt.desc(), table.id.desc()),
    // Payments and refunds are few compared with usage; charges do not touch it.
    index('ledger_lines_credits')
      .on(table.accountId, table.createdAt.desc(), table.id.desc())
      .where(sql`${table.type} <> 'usage'`),
  ],
);

/** One row. */
export const ledgerSettings = pgTable('ledger_settings', {
  /**
   * Charges are booked compactly: one row each instead of a head, an event and a line. Version 0.1.0 cannot read them,
   * so a database that it has made begins with false, until an operator runs `gateway migrate --compact`.
   */
  compact: boolean().notNull(),
});
