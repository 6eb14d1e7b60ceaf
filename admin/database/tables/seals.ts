/**
 * Sealed months: partitions of the ledger that no longer change, with what proves it. A seal has the hash of every block of
 * rows, what each account had at the end of the month, and the hash of both, which continues that of the month before.
 *
 * Append-only; triggers refuse to change a seal once it is finished (see drizzle/0037_sealed_months.sql).
 */
import {
  bigint,
  date,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';

/** A month that is sealed, or is being sealed: then nothing more is booked for its requests. */
export const sealedMonths = pgTable('sealed_months', {
  month: date({ mode: 'string' }).primaryKey(),
  /** Its request ids: from this one, inclusive. */
  fromId: uuid('from_id').notNull(),
  /** Exclusive. */
  untilId: uuid('until_id').notNull(),
  /** How rows are hashed: see admin/ledger/seals/row-text.ts. */
  format: smallint().notNull(),
  /** Of `lines` and `events`, as they were: columns that are added later are not part of the seal. */
  columns: jsonb().$type<Readonly<Record<SealedPart, readonly string[]>>>().notNull(),
  lines: bigint({ mode: 'number' }),
  events: bigint({ mode: 'number' }),
  /** Of the month before, in hexadecimal; empty for the first. */
  previousHash: text('previous_hash').notNull(),
  hash: text(),
  startedAt: timestamp('started_at', { withTimezone: true }).notNull().defaultNow(),
  /** Null while it is being sealed. */
  finishedAt: timestamp('finished_at', { withTimezone: true }),
});

/** `lines`: rows of `ledger_lines`; `events`: rows of `usage_events`, wherever they are now. */
export type SealedPart = 'lines' | 'events';

/** Some ten thousand rows, in the order of their keys. */
export const sealedBlocks = pgTable(
  'sealed_blocks',
  {
    month: date({ mode: 'string' }).notNull(),
    part: text().$type<SealedPart>().notNull(),
    number: integer().notNull(),
    /** The last key: a journal's id, or a request's. A block begins after the last key of the block before. */
    lastKey: text('last_key').notNull(),
    rows: integer().notNull(),
    hash: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.month, table.part, table.number] })],
);

/** What the lines of the account sum to, of this month and all before. Accounts without lines have no row. */
export const sealedAccounts = pgTable(
  'sealed_accounts',
  {
    month: date({ mode: 'string' }).notNull(),
    accountId: bigint('account_id', { mode: 'number' }).notNull(),
    balanceNano: bigint('balance_nano', { mode: 'bigint' }).notNull(),
    /**
     * What the account had at the end of the month. A charge belongs to the month in which its request began, and may have
     * been made in the next one.
     */
    endBalanceNano: bigint('end_balance_nano', { mode: 'bigint' }).notNull(),
    /** Payments and refunds only. */
    creditedNano: bigint('credited_nano', { mode: 'bigint' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.month, table.accountId] })],
);

/** Whether a month matched its seal when the two were last compared. */
export const sealChecks = pgTable('seal_checks', {
  month: date({ mode: 'string' }).primaryKey(),
  checkedAt: timestamp('checked_at', { withTimezone: true }).notNull(),
  /** Sentences for the operator; empty if it matched. */
  problems: text().array().notNull(),
});
