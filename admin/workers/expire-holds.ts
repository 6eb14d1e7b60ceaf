/**
 * Ends requests that nobody renews any more. Pauses for the length of a lease after Redis has started: until then a
 * proxy that was cut off from it may not have had the chance to renew.
 */

import { Cluster } from 'ioredis';
import type { RedisClient } from '../../shared/redis/connect.ts';
import type { Shard } from '../../shared/shard.ts';
import { leaseMs } from '../../shared/wallet/wallet.ts';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';

const expiredAtOnce = 100;

/** One step. Returns how many holds were due. */
export async function expireHolds(
  services: { keeper: WalletKeeper; redis: RedisClient },
  shards: readonly Shard[],
): Promise<number> {
  if (shards.length === 0 || (await uptimeMs(services.redis)) < leaseMs) return 0;
  let due = 0;
  for (const shard of shards) {
    let dueHere = expiredAtOnce;
    while (dueHere === expiredAtOnce) {
      dueHere = await services.keeper.expire(shard, expiredAtOnce);
      due += dueHere;
    }
  }
  return due;
}

/** Of the youngest node. */
async function uptimeMs(redis: RedisClient): Promise<number> {
  const nodes = redis instanceof Cluster ? redis.nodes('master') : [redis];
  const uptimes = await Promise.all(
    nodes.map(async (node) => {
      const seconds = /uptime_in_seconds:(\d+)/.exec(await node.info('server'))?.[1];
      return Number(seconds ?? 0) * 1_000;
    }),
  );
  return Math.min(...uptimes);
}
