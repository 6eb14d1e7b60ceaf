/**
 * Ends requests that nobody renews any more. A shard that was opened in another Redis, or a restarted one, is left
 * alone for the length of a lease: until then a proxy that was cut off from it may not have had the chance to renew.
 */
import type { Sql } from 'postgres';
import type { RedisClient } from '../../shared/redis/connect.ts';
import { readServerStates } from '../../shared/redis/server-state.ts';
import type { Shard } from '../../shared/shard.ts';
import { masterOfShard } from '../../shared/wallet/shard-master.ts';
import { leaseMs } from '../../shared/wallet/wallet.ts';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';

interface ExpireServices {
  readonly sql: Sql;
  readonly keeper: WalletKeeper;
  readonly redis: RedisClient;
}

const expiredAtOnce = 100;

/** One step. Returns how many holds were due; one shard's trouble does not stop the others. */
export async function expireHolds(services: ExpireServices, shards: readonly Shard[]): Promise<number> {
  if (shards.length === 0) return 0;
  let due = 0;
  const failures: unknown[] = [];
  for (const shard of await settledShards(services, shards)) {
    try {
      due += await expireShard(services.keeper, shard);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return due;
}

async function expireShard(keeper: WalletKeeper, shard: Shard): Promise<number> {
  let due = 0;
  for (;;) {
    const dueNow = await keeper.expire(shard, expiredAtOnce);
    due += dueNow;
    if (dueNow < expiredAtOnce) return due;
  }
}

/** Shards that are open for at least a lease, in the Redis that answers now. */
async function settledShards({ sql, keeper, redis }: ExpireServices, shards: readonly Shard[]): Promise<Shard[]> {
  const rows = await sql<{ shard: number }[]>`
    SELECT shard FROM shards
    WHERE shard = ANY(${[...shards]}::smallint[]) AND opened_at < now() - ${leaseMs / 1_000} * interval '1 second'`;
  const opened = new Set(rows.map(({ shard }) => shard));
  const states = await readServerStates(redis);
  const settled: Shard[] = [];
  for (const shard of shards) {
    const master = masterOfShard(redis, shard);
    const state = master && states.get(master);
    if (!opened.has(shard) || state === undefined) continue;
    const meta = await keeper.readMeta(shard);
    if (meta?.mode === 'open' && meta.identity === state.runId) settled.push(shard);
  }
  return settled;
}
