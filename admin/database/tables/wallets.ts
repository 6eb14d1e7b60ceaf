/**
 * What Postgres keeps about the wallets in Redis: decisions that they have yet to receive, and the epochs of their
 * shards.
 */
import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, smallint, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/** `responses`: those that are stored for the account are removed. */
export const outboxTopics = ['credit', 'key', 'responses'] as const;

/** A row is written in the transaction of the decision, and delivered at least once; every receiver is idempotent. */
export const outbox = pgTable(
  'outbox',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    topic: text({ enum: outboxTopics }).notNull(),
    accountId: bigint('account_id', { mode: 'number' }).notNull(),
    /** For `credit`: its number and its amount, negative if money leaves the wallet. */
    creditSeq: bigint('credit_seq', { mode: 'number' }),
    amountNano: bigint('amount_nano', { mode: 'bigint' }),
    /** For a negative credit: the hold in Redis that set the money aside. */
    holdId: uuid('hold_id'),
    /** For `key`: the key whose current state is published. */
    keyId: bigint('key_id', { mode: 'number' }),
    attempts: integer().notNull().default(0),
    lastError: text('last_error'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    deliveredAt: timestamp('delivered_at', { withTimezone: true }),
  },
  (table) => [
    index('outbox_undelivered').on(table.id).where(sql`${table.deliveredAt} is null`),
    index('outbox_credits').on(table.accountId, table.creditSeq).where(sql`${table.topic} = 'credit'`),
  ],
);

/** The epoch of each shard's wallets. A new epoch begins whenever Redis has lost data. */
export const shards = pgTable('shards', {
  shard: smallint().primaryKey(),
  epoch: bigint({ mode: 'number' }).notNull(),
  openedAt: timestamp('opened_at', { withTimezone: true }).notNull().defaultNow(),
});
