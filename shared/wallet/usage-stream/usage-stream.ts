/**
 * The stream of usage from Redis to the ledger, one per shard. It is a queue: it always begins with the first entry
 * that the ledger does not have, because entries are removed only after they were committed there. So a reader has no
 * position to remember or to lose; after a crash it reads from the beginning again, and the ledger ignores entries that
 * were committed but not yet removed.
 */
import type { Redis } from 'ioredis';
import { connectBlocking, type RedisClient, redisCommandTimeoutMs, whenReady } from '../../redis/connect.ts';
import { StrictCluster } from '../../redis/strict-cluster.ts';
import type { Shard } from '../shard.ts';
import { keysOfShard } from '../wallet-keys.ts';
import { readShard, type ShardEntries } from './usage-entry.ts';
import { UsagePoll } from './usage-poll.ts';

/** How long a read waits for entries. */
const waitMs = 500;

type Read = (shards: readonly Shard[], limit: number) => Promise<ShardEntries[]>;

export class UsageStream {
  readonly #redis: RedisClient;
  readonly #read: Read;
  readonly #close: () => void;

  constructor(redis: RedisClient, onError: (error: Error) => void) {
    this.#redis = redis;
    if (redis instanceof StrictCluster) {
      const poll = new UsagePoll(redis);
      this.#read = (shards, limit) => poll.read(shards, { limit, waitMs });
      this.#close = () => {};
    } else {
      const blocking = connectBlocking(redis, waitMs);
      blocking.on('error', onError);
      this.#read = (shards, limit) => readBlocking(blocking, shards, limit);
      this.#close = () => blocking.disconnect();
    }
  }

  /** The first entries of each shard, at most `limit` charges each; empty if none came within half a second. */
  async read(shards: readonly Shard[], limit: number): Promise<ShardEntries[]> {
    if (shards.length > 0) return this.#read(shards, limit);
    await Bun.sleep(waitMs);
    return [];
  }

  /** Removes all entries up to and including this one, which must be committed in the ledger. Returns their number. */
  async removeThrough(shard: Shard, id: string): Promise<number> {
    const [milliseconds, number] = id.split('-');
    return this.#redis.xtrim(keysOfShard(shard).usage, 'MINID', `${milliseconds}-${BigInt(number ?? '0') + 1n}`);
  }

  async length(shard: Shard): Promise<number> {
    return this.#redis.xlen(keysOfShard(shard).usage);
  }

  close(): void {
    this.#close();
  }
}

/** One connection waits for all shards, so idle shards cost nothing. After a failover it finds the new master. */
async function readBlocking(redis: Redis, shards: readonly Shard[], limit: number): Promise<ShardEntries[]> {
  await whenReady(redis, redisCommandTimeoutMs);
  const shardOfKey = new Map(shards.map((shard) => [keysOfShard(shard).usage, shard]));
  const starts = shards.map(() => '0-0');
  const reply = await redis.xread('COUNT', limit, 'BLOCK', waitMs, 'STREAMS', ...shardOfKey.keys(), ...starts);
  return (reply ?? []).flatMap(([key, entries]) => {
    const shard = shardOfKey.get(key);
    return shard === undefined ? [] : [readShard(shard, entries, limit)];
  });
}
