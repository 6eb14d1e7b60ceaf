/** A shard's state as admin maintains it, for tests that run without admin. */
import type { RedisClient } from '../../../shared/redis/connect.ts';
import { readServerStates } from '../../../shared/redis/server-state.ts';
import type { Shard } from '../../../shared/wallet/shard.ts';
import { masterOfShard } from '../../../shared/wallet/shard-master.ts';
import type { WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';

/** Of the Redis that currently has the shard. */
export async function readIdentity(redis: RedisClient, shard: Shard): Promise<string> {
  const master = masterOfShard(redis, shard);
  const state = master && (await readServerStates(redis)).get(master);
  if (state === undefined) throw new Error(`no Redis answers for shard ${shard}`);
  return state.runId;
}

/** Expires holds past their deadline, in an open shard. Returns how many requests there were. */
export async function expireDue(keeper: WalletKeeper, shard: Shard): Promise<number> {
  const { epoch = 0 } = (await keeper.readMeta(shard)) ?? {};
  let due = 0;
  for (;;) {
    const dueNow = await keeper.expire({ shard, epoch, limit: 100 });
    due += dueNow;
    if (dueNow === 0) return due;
  }
}
