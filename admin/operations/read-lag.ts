/** What is waiting: usage for the ledger, credits and keys for Redis, mails for their server. */
import { sql } from 'drizzle-orm';
import type { RedisClient } from '../../shared/redis/connect.ts';
import { readUsageLag, type ShardLag } from '../../shared/wallet/usage-stream/usage-lag.ts';
import type { DbOrTransaction } from '../database/connect.ts';

export interface Queue {
  readonly entries: number;
  /** Since when the oldest one has been waiting; null if none is. */
  readonly oldestAt: Date | null;
}

export interface Lag {
  readonly usage: Queue & { readonly shards: readonly ShardLag[] };
  readonly outbox: Queue;
  readonly mails: Queue;
  /** Given up; an operator has to decide. */
  readonly failedMails: number;
  /** Stream entries that could not be read. */
  readonly rejectedUsage: number;
}

interface Row extends Record<string, unknown> {
  readonly entries: string;
  readonly oldest: Date | null;
}

export async function readLag({ db, redis }: { db: DbOrTransaction; redis: RedisClient }): Promise<Lag> {
  return { usage: await readUsageQueue(redis), ...(await readStoredQueues(db)) };
}

/** The charges in Redis that are not booked yet. */
export async function readUsageQueue(redis: RedisClient): Promise<Lag['usage']> {
  const shards = await readUsageLag(redis);
  const oldest = shards.map(({ oldestAt }) => oldestAt).sort((one, other) => one.getTime() - other.getTime());
  return {
    shards,
    entries: shards.reduce((sum, { entries }) => sum + entries, 0),
    oldestAt: oldest[0] ?? null,
  };
}

/** What waits in Postgres. */
export async function readStoredQueues(db: DbOrTransaction): Promise<Omit<Lag, 'usage'>> {
  const failed = await readQueue(db, sql`mails WHERE state = 'failed'`);
  const rejected = await readQueue(db, sql`usage_rejects`);
  return {
    outbox: await readQueue(db, sql`outbox WHERE delivered_at IS NULL`),
    mails: await readQueue(db, sql`mails WHERE state = 'queued'`),
    failedMails: failed.entries,
    rejectedUsage: rejected.entries,
  };
}

async function readQueue(db: DbOrTransaction, rows: ReturnType<typeof sql>): Promise<Queue> {
  const [row] = await db.execute<Row>(sql`SELECT count(*) AS entries, min(created_at) AS oldest FROM ${rows}`);
  if (row === undefined) throw new Error('a count without a row');
  return { entries: Number(row.entries), oldestAt: row.oldest };
}
