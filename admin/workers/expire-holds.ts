/**
 * Expires holds that are no longer renewed. A shard that was opened in another Redis, or a restarted one, is left alone
 * for one lease: until then a proxy that was cut off may not have had the chance to renew.
 */
import type { Sql } from 'postgres';
import { holdMs } from '../../shared/wallet/lease.ts';
import type { Shard } from '../../shared/wallet/shard.ts';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';

interface ExpireServices {
  readonly sql: Sql;
  readonly keeper: WalletKeeper;
}

const expiredAtOnce = 100;

/** One step. Returns how many holds were due; one shard's failure does not stop the others. */
export async function expireHolds(services: ExpireServices, shards: readonly Shard[]): Promise<number> {
  let due = 0;
  const failures: unknown[] = [];
  for (const { shard, epoch } of await readSettledShards(services.sql, shards)) {
    try {
      due += await expireShard(services.keeper, shard, epoch);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return due;
}

async function expireShard(keeper: WalletKeeper, shard: Shard, epoch: number): Promise<number> {
  let due = 0;
  for (;;) {
    const dueNow = await keeper.expire({ shard, epoch, limit: expiredAtOnce });
    due += dueNow;
    if (dueNow < expiredAtOnce) return due;
  }
}

/** Shards whose epoch began at least one lease ago. The script checks that Redis is still in that epoch. */
async function readSettledShards(
  sql: Sql,
  shards: readonly Shard[],
): Promise<readonly { readonly shard: Shard; readonly epoch: number }[]> {
  if (shards.length === 0) return [];
  const rows = await sql<{ shard: Shard; epoch: string }[]>`
    SELECT shard, epoch FROM shards
    WHERE shard = ANY(${[...shards]}::smallint[]) AND opened_at < now() - ${holdMs / 1_000} * interval '1 second'`;
  return rows.map(({ shard, epoch }) => ({ shard, epoch: Number(epoch) }));
}
