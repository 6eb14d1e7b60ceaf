/**
 * Usage of past months, out of its partitions and compressed: about a tenth of the size, without indexes, and receipts
 * are still read from it by their request ids. The ledger's lines are not archived: balances stay the sums of lines.
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

/** A sealed month whose usage has been archived, or is being archived. Version 0.1.0 books nothing for its requests. */
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
  /** Of the file that was written, in hexadecimal. */
  sha256: text(),
  startedAt: timestamp('started_at', { withTimezone: true }).notNull().defaultNow(),
  /** Null while it is being archived. */
  finishedAt: timestamp('finished_at', { withTimezone: true }),
});

/** Some hundred requests, in the order of their ids. */
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
