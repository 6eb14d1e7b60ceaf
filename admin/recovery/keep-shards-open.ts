/**
 * Keeps the shards open, and recovers those whose Redis is not the one they were opened in: a new installation, a
 * restart, a failover that may have lost writes, or one that has lost everything.
 *
 * A recovering shard takes settles and renewals but no new request. In that time proxies send again what Redis may
 * have lost, keys are published, credits and wallets are compared with the ledger; then it opens with a new epoch.
 */
import type { Sql } from 'postgres';
import type { Log } from '../../shared/log.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';
import { readServerState } from '../../shared/redis/server-state.ts';
import type { Shard } from '../../shared/shard.ts';
import type { WalletAuditor } from '../../shared/wallet/wallet-auditor.ts';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import { publishKeysOfShard } from '../outbox/publish-key.ts';
import { alignWallets } from './align-wallets.ts';
import { PostgresRecoveryLedger } from './recovery-ledger.ts';

export interface RecoveryServices {
  readonly sql: Sql;
  readonly redis: RedisClient;
  readonly keeper: WalletKeeper;
  readonly auditor: WalletAuditor;
  readonly log: Log;
}

/** Proxies look once a second whether another Redis answers, and then send again what they hold. */
const replayGraceMs = 2_500;

/** One step: returns how many shards had to be opened. */
export async function keepShardsOpen(services: RecoveryServices, shards: readonly Shard[]): Promise<number> {
  if (shards.length === 0) return 0;
  const { identity } = await readServerState(services.redis);
  const metas = await Promise.all(shards.map((shard) => services.keeper.readMeta(shard)));
  const closed = shards.filter((_, index) => metas[index]?.mode !== 'open' || metas[index]?.identity !== identity);
  if (closed.length === 0) return 0;

  const epochs = await raiseEpochs(services.sql, closed);
  const write = (mode: 'open' | 'recovering') =>
    Promise.all(
      closed.map((shard) => services.keeper.writeMeta(shard, { mode, epoch: epochs.get(shard) ?? 1, identity })),
    );
  await write('recovering');
  for (const shard of closed) await publishKeysOfShard(services, shard);
  const recovering = closed.filter((shard) => (epochs.get(shard) ?? 1) > 1);
  let aligned = 0;
  if (recovering.length > 0) {
    services.log.warn(
      { shards: recovering.length },
      'another Redis answers, or it was restarted: shards are recovering',
    );
    await Bun.sleep(replayGraceMs);
    const ledger = new PostgresRecoveryLedger(services.sql);
    for (const shard of recovering) aligned += await alignWallets({ ...services, ledger }, shard);
  }
  await write('open');
  services.log.info({ shards: closed.length, walletsAligned: aligned }, 'shards are open');
  return closed.length;
}

/** 1 for a shard that has never been open. */
async function raiseEpochs(sql: Sql, shards: readonly Shard[]): Promise<Map<Shard, number>> {
  const rows = await sql<{ shard: Shard; epoch: string }[]>`
    INSERT INTO shards (shard, epoch) SELECT shard, 1 FROM unnest(${[...shards]}::smallint[]) AS new (shard)
    ON CONFLICT (shard) DO UPDATE SET epoch = shards.epoch + 1, opened_at = now()
    RETURNING shard, epoch`;
  return new Map(rows.map((row) => [row.shard, Number(row.epoch)]));
}
