/**
 * Usage: one immutable event per charge. A compact event is also the charge's line in the ledger; an event of version
 * 0.1.0 has a line of its own in `ledger_lines`. The views of ledger-views.ts show both alike.
 *
 * Events and heads are partitioned by month. A request id is a UUIDv7, which begins with its time, so the months are
 * ranges of ids and the primary keys stay unique over all of them.
 */
import { sql } from 'drizzle-orm';
import {
  type AnyPgColumn,
  bigint,
  boolean,
  index,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core';
import { eventColumns } from './unit-columns.ts';

/**
 * Heads: what a request has been charged so far. Of compact charges only those that began with an estimate have one; of
 * the others all, because the head is the lock that makes duplicates harmless.
 */
export const usageRequests = pgTable(
  'usage_requests',
  {
    requestId: uuid('request_id').primaryKey(),
    /** Exists: no head is inserted for an unknown account, and accounts are never deleted. */
    accountId: bigint('account_id', { mode: 'number' }).notNull(),
    /** 1 an estimate, 2 final. */
    rank: smallint().notNull(),
    chargedNano: bigint('charged_nano', { mode: 'bigint' }).notNull(),
  },
  // Estimates are rare; reconciling looks for them.
  (table) => [index('usage_requests_estimates').on(table.requestId).where(sql`rank = 1`)],
);

/** What an event is found by in `usage_events_rare`, as arrays, because such an index is of their elements. */
export const keyTerms = ({ keyId }: { keyId: AnyPgColumn }) => sql`(ARRAY[${keyId}])`;
/** With the account, so that nothing of others is read. */
export const modelTerms = ({ accountId, model }: { accountId: AnyPgColumn; model: AnyPgColumn }) =>
  sql`(ARRAY[(${accountId}::text || ' ' || ${model}) COLLATE "C"])`;

export const usageEvents = pgTable(
  'usage_events',
  {
    requestId: uuid('request_id').notNull(),
    rank: smallint().notNull(),
    accountId: bigint('account_id', { mode: 'number' }).notNull(),
    /** The total cost of the request, not the difference to an earlier event. */
    costNano: bigint('cost_nano', { mode: 'bigint' }).notNull(),
    /** What the wallet could not cover; the gateway's loss, never the customer's debt. Null or 0 for nothing. */
    unchargedNano: bigint('uncharged_nano', { mode: 'bigint' }),
    keyId: bigint('key_id', { mode: 'number' }).notNull(),
    model: text().notNull(),
    deployment: text().notNull(),
    priceVersion: bigint('price_version', { mode: 'number' }).notNull(),
    ...eventColumns(),
    /** Which of the model's prices applied: `formatVariant` for images, `formatRate` for tokens; null or empty for the usual ones. */
    variant: text().default(''),
    /** Null or false if the provider has reported what it counted. */
    estimated: boolean(),
    epoch: bigint({ mode: 'number' }).notNull(),
    /** The wallet's own numbering and its `spent` after this event; null when the wallet was missing. */
    walletSeq: bigint('wallet_seq', { mode: 'number' }),
    walletSpentNano: bigint('wallet_spent_nano', { mode: 'bigint' }),
    startedAt: timestamp('started_at', { withTimezone: true }).notNull(),
    chargedAt: timestamp('charged_at', { withTimezone: true }).notNull(),
    /** What the account was charged by this event: its cost, less that of the estimate it replaced. Null if not compact. */
    bookedNano: bigint('booked_nano', { mode: 'bigint' }),
    /** Of a compact event; null if it has booked nothing. */
    journalId: bigint('journal_id', { mode: 'number' }),
    /** The transaction's id, from the sequence of `ledger_lines`. */
    lineId: bigint('line_id', { mode: 'number' }),
    /** In which project the key was, and whose: of `key_assignments`. Null for a key that had never been moved. */
    assignmentId: bigint('assignment_id', { mode: 'number' }),
    /** Of `dimension_values`: what its request says of the dimensions of its organization. Null if nothing. */
    dimensionValues: bigint('dimension_values', { mode: 'number' }).array(),
    /** The request whose stored response was given again, at no cost. Null of any other. */
    repeats: uuid(),
  },
  (table) => [
    primaryKey({ columns: [table.requestId, table.rank] }),
    // Newest first by reading it backwards: in this direction it takes a fifth less space.
    index('usage_events_charged').on(table.accountId, table.chargedAt.asc().nullsFirst()),
    // Whether a journal balances is checked when it is booked. Equal entries share a row of the index.
    index('usage_events_journal').on(table.journalId).where(sql`${table.journalId} IS NOT NULL`),
    // For lists of what is rare among the requests of an account. Each key and model is stored once, with a list of its rows.
    index('usage_events_rare').using('gin', keyTerms(table), modelTerms(table)),
  ],
);

/** Stream entries that could not be read. Kept, so that nothing is lost, and counted, so that an operator notices. */
export const usageRejects = pgTable('usage_rejects', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  shard: smallint().notNull(),
  streamId: text('stream_id').notNull(),
  entry: text().notNull(),
  problem: text().notNull(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
});
