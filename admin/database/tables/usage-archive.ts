/**
 * Months whose charges have left Postgres: which file each is in, and what it was when it was archived. Earlier versions have
 * archived months in blocks, here in Postgres.
 *
 * Append-only; triggers refuse to change or delete what is archived.
 */
import {
  bigint,
  customType,
  date,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/** A sealed month whose charges have been archived, or are being archived. Version 0.1.0 books nothing for its requests. */
export const archivedMonths = pgTable('archived_months', {
  month: date({ mode: 'string' }).primaryKey(),
  /** Its request ids: from this one, inclusive. */
  fromId: uuid('from_id').notNull(),
  /** Exclusive. */
  untilId: uuid('until_id').notNull(),
  requests: bigint({ mode: 'number' }),
  events: bigint({ mode: 'number' }),
  /** What its requests were charged: the sum of their lines in the ledger. */
  chargedNano: bigint('charged_nano', { mode: 'bigint' }),
  /** When the first and the last of its charges were made. */
  firstChargedAt: timestamp('first_charged_at', { withTimezone: true }),
  lastChargedAt: timestamp('last_charged_at', { withTimezone: true }),
  /** In the place that is configured. Null if there were no charges, or they are in blocks. */
  file: text(),
  fileBytes: bigint('file_bytes', { mode: 'number' }),
  /** Of the file, in hexadecimal. */
  sha256: text(),
  startedAt: timestamp('started_at', { withTimezone: true }).notNull().defaultNow(),
  /** Null while it is being archived. */
  finishedAt: timestamp('finished_at', { withTimezone: true }),
});

/** A block of an earlier version: some hundred requests, in the order of their ids. */
export const archivedUsage = pgTable(
  'archived_usage',
  {
    firstId: uuid('first_id').primaryKey(),
    lastId: uuid('last_id').notNull(),
    month: date({ mode: 'string' }).notNull(),
    requests: integer().notNull(),
    events: integer().notNull(),
    chargedNano: bigint('charged_nano', { mode: 'bigint' }).notNull(),
    /** A line of JSON for each request, compressed by gzip: its head and its events, as in their tables. */
    content: bytes().notNull(),
  },
  (table) => [index('archived_usage_month').on(table.month)],
);

/** What archived charges have in journals whose other lines were not sealed when they were archived, so that these still add up. */
export const archivedJournals = pgTable(
  'archived_journals',
  {
    journalId: bigint('journal_id', { mode: 'number' }).notNull(),
    month: date({ mode: 'string' }).notNull(),
    amountNano: bigint('amount_nano', { mode: 'bigint' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.journalId, table.month] })],
);

/** The last number of a wallet's charges in a sealed month: that there is no gap before it has been checked. */
export const archivedPositions = pgTable(
  'archived_positions',
  {
    accountId: bigint('account_id', { mode: 'number' }).notNull(),
    epoch: bigint({ mode: 'number' }).notNull(),
    walletSeq: bigint('wallet_seq', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.epoch] })],
);
