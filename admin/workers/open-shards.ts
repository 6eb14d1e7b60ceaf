/**
 * Opens shards that this Redis does not know: a new installation, or one that has lost its data. The shard gets the
 * next epoch, and its keys; wallets come from the ledger when they are asked for. Until it is open, reserve answers
 * that it is recovering, while settles are taken.
 */
import type { Sql } from 'postgres';
import type { Log } from '../../shared/log.ts';
import type { Shard } from '../../shared/shard.ts';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import { publishKeysOfShard } from '../outbox/publish-key.ts';

export async function openShards(
  services: { sql: Sql; keeper: WalletKeeper; log: Log },
  shards: readonly Shard[],
): Promise<void> {
  const metas = await Promise.all(shards.map((shard) => services.keeper.readMeta(shard)));
  const closed = shards.filter((_, index) => metas[index]?.mode !== 'open');
  if (closed.length === 0) return;
  await Promise.all(closed.map((shard) => openShard(services, shard)));
  services.log.info({ shards: closed.length }, 'shards opened');
}

async function openShard(services: { sql: Sql; keeper: WalletKeeper }, shard: Shard): Promise<void> {
  const [row] = await services.sql<{ epoch: string }[]>`
    INSERT INTO shards (shard, epoch) VALUES (${shard}, 1)
    ON CONFLICT (shard) DO UPDATE SET epoch = shards.epoch + 1, opened_at = now()
    RETURNING epoch`;
  const epoch = Number(row?.epoch);
  await services.keeper.writeMeta(shard, { mode: 'recovering', epoch });
  await publishKeysOfShard(services, shard);
  await services.keeper.writeMeta(shard, { mode: 'open', epoch });
}
