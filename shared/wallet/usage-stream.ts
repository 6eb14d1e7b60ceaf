/**
 * The stream of usage between Redis and the ledger, one a shard. It is a queue: it always begins with the first entry
 * that the ledger does not have, because entries are removed only after they were committed there. So a reader has no
 * position to remember or to lose; after any crash it reads again from the beginning, and what was committed but not
 * yet removed comes a second time, which the ledger ignores.
 */
import { Redis } from 'ioredis';
import { connectBlocking, type RedisClient, redisCommandTimeoutMs, whenReady } from '../redis/connect.ts';
import type { Shard } from '../shard.ts';
import { keysOfShard } from './wallet-keys.ts';

export interface UsageEntry {
  /** `milliseconds-number`, given by Redis, rising. */
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface ShardEntries {
  readonly shard: Shard;
  readonly entries: readonly UsageEntry[];
}

/** How long a read waits for entries. */
const waitMs = 500;
const clusterPollMs = 100;

export class UsageStream {
  readonly #redis: RedisClient;
  readonly #blocking: Redis | undefined;

  constructor(redis: RedisClient, onError: (error: Error) => void) {
    this.#redis = redis;
    this.#blocking = redis instanceof Redis ? connectBlocking(redis, waitMs) : undefined;
    this.#blocking?.on('error', onError);
  }

  /** The first entries of each shard, at most `limit` of each; empty when none came within half a second. */
  async read(shards: readonly Shard[], limit: number): Promise<ShardEntries[]> {
    if (shards.length === 0) {
      await Bun.sleep(waitMs);
      return [];
    }
    if (this.#blocking === undefined) return this.#poll(shards, limit);
    await whenReady(this.#blocking, redisCommandTimeoutMs);
    return readBlocking(this.#blocking, shards, limit);
  }

  /** Removes everything up to and including the entry, which must be committed in the ledger. */
  async removeThrough(shard: Shard, id: string): Promise<void> {
    const [milliseconds, number] = id.split('-');
    await this.#redis.xtrim(keysOfShard(shard).usage, 'MINID', `${milliseconds}-${BigInt(number ?? '0') + 1n}`);
  }

  async length(shard: Shard): Promise<number> {
    return this.#redis.xlen(keysOfShard(shard).usage);
  }

  close(): void {
    this.#blocking?.disconnect();
  }

  /** One blocking read cannot span the slots of a cluster. */
  async #poll(shards: readonly Shard[], limit: number): Promise<ShardEntries[]> {
    const read = await Promise.all(
      shards.map(async (shard) => {
        const entries = await this.#redis.xrange(keysOfShard(shard).usage, '-', '+', 'COUNT', limit);
        return { shard, entries: entries.map(readEntry) };
      }),
    );
    const found = read.filter(({ entries }) => entries.length > 0);
    if (found.length === 0) await Bun.sleep(clusterPollMs);
    return found;
  }
}

async function readBlocking(redis: Redis, shards: readonly Shard[], limit: number): Promise<ShardEntries[]> {
  const shardOfKey = new Map(shards.map((shard) => [keysOfShard(shard).usage, shard]));
  const starts = shards.map(() => '0-0');
  const reply = await redis.xread('COUNT', limit, 'BLOCK', waitMs, 'STREAMS', ...shardOfKey.keys(), ...starts);
  return (reply ?? []).flatMap(([key, entries]) => {
    const shard = shardOfKey.get(key);
    return shard === undefined ? [] : [{ shard, entries: entries.map(readEntry) }];
  });
}

export function readEntry([id, flat]: [id: string, flat: string[]]): UsageEntry {
  const fields: Record<string, string> = {};
  for (let index = 0; index + 1 < flat.length; index += 2) fields[flat[index] ?? ''] = flat[index + 1] ?? '';
  return { id, fields };
}
