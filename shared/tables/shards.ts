/** The epoch of each shard's wallets. A new epoch begins whenever Redis has lost data. */
import { bigint, pgTable, smallint, timestamp } from 'drizzle-orm/pg-core';

export const shards = pgTable('shards', {
  shard: smallint().primaryKey(),
  epoch: bigint({ mode: 'number' }).notNull(),
  openedAt: timestamp('opened_at', { withTimezone: true }).notNull().defaultNow(),
});
