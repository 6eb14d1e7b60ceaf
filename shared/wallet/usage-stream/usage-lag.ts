/** How far the ledger lags behind Redis: how many entries wait in each shard's usage stream, and since when. */
import type { RedisClient } from '../../redis/connect.ts';
import { allShards, type Shard } from '../shard.ts';
import { keysOfShard } from '../wallet-keys.ts';

export interface ShardLag {
  readonly shard: Shard;
  /** Entries that the ledger does not have yet. */
  readonly entries: number;
  /** When the first of them was written, by Redis's clock. */
  readonly oldestAt: Date;
}

/** Shards with an empty stream are left out. */
export async function readUsageLag(redis: RedisClient): Promise<ShardLag[]> {
  const lags = await Promise.all(allShards.map((shard) => readShard(redis, shard)));
  return lags.filter((lag) => lag !== undefined);
}

async function readShard(redis: RedisClient, shard: Shard): Promise<ShardLag | undefined> {
  const { usage } = keysOfShard(shard);
  const [first] = await redis.xrange(usage, '-', '+', 'COUNT', 1);
  if (first === undefined) return undefined;
  const [milliseconds] = first[0].split('-');
  return { shard, entries: await redis.xlen(usage), oldestAt: new Date(Number(milliseconds)) };
}
