/**
 * Keeps the shards open, and recovers those whose Redis is not the one they were opened in: after a new installation, a
 * restart, a failover that may have lost writes, or a total loss.
 *
 * A recovering shard accepts settles and renewals but no new requests. Meanwhile proxies resend what Redis may have
 * lost, keys are published, credits and wallets are compared with the ledger; then the shard opens with a new epoch. After a
 * total loss it opens for the keys that have been published, while those of accounts not in use follow.
 */
import type { Sql } from 'postgres';
import type { Log } from '../../../shared/log.ts';
import type { RedisClient } from '../../../shared/redis/connect.ts';
import { readServerStates } from '../../../shared/redis/server-state.ts';
import type { Shard } from '../../../shared/wallet/shard.ts';
import { masterOfShard } from '../../../shared/wallet/shard-master.ts';
import type { WalletAuditor } from '../../../shared/wallet/wallet-auditor.ts';
import type { ShardMode, WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';
import { publishKeysOfShards } from '../../keys/publish-key.ts';
import { alignWallets } from './align-wallets.ts';
import type { DoubtfulShards } from './doubtful-shards.ts';
import { PostgresRecoveryLedger } from './recovery-ledger.ts';

export interface RecoveryServices {
  readonly sql: Sql;
  readonly redis: RedisClient;
  readonly keeper: WalletKeeper;
  readonly auditor: WalletAuditor;
  readonly log: Log;
  readonly doubtful?: DoubtfulShards;
}

/** Proxies check once a second whether another Redis responds, and then resend what they hold. */
const replayGraceMs = 2_500;
const shardsAtOnce = 8;

/** One step: returns how many shards had to be opened. */
export async function keepShardsOpen(services: RecoveryServices, shards: readonly Shard[]): Promise<number> {
  if (shards.length === 0) return 0;
  const identities = await readIdentities(services.redis, shards);
  const doubtful = services.doubtful?.take() ?? new Set();
  try {
    const closed = await findClosed(services.keeper, identities, doubtful);
    if (closed.length > 0) await open(services, closed, identities);
    services.doubtful?.giveBack([...doubtful].filter((shard) => !closed.includes(shard)));
    return closed.length;
  } catch (error) {
    services.doubtful?.giveBack(doubtful);
    throw error;
  }
}

/**
 * In two steps where Redis has lost everything: keys of accounts that are in use are published first, and may be used while the
 * others follow. Where it has not, it may have former states of keys, so all are published before.
 */
async function open(
  services: RecoveryServices,
  closed: readonly Shard[],
  identities: ReadonlyMap<Shard, string>,
): Promise<void> {
  const { epochs, empty } = await raiseEpochs(services, closed);
  const write = (shards: readonly Shard[], mode: ShardMode) =>
    Promise.all(
      shards.map((shard) =>
        services.keeper.writeMeta(shard, {
          mode,
          epoch: epochs.get(shard) ?? 1,
          identity: identities.get(shard) ?? '',
        }),
      ),
    );
  await write(closed, 'recovering');
  const others = closed.filter((shard) => !empty.includes(shard));
  const [walletsAligned] = await Promise.all([
    compareWallets(
      services,
      closed.filter((shard) => (epochs.get(shard) ?? 1) > 1),
    ),
    publishKeysOfShards(services, empty, 'active').then(() => publishKeysOfShards(services, others)),
  ]);
  await Promise.all([write(empty, 'filling'), write(others, 'open')]);
  services.log.info({ shards: closed.length, walletsAligned }, 'shards are open');
  await publishKeysOfShards(services, empty);
  await write(empty, 'open');
}

/** Once proxies have sent again what they hold. Returns how many wallets were set. */
async function compareWallets(services: RecoveryServices, shards: readonly Shard[]): Promise<number> {
  if (shards.length === 0) return 0;
  services.log.warn({ shards: shards.length }, 'Redis was replaced or restarted: shards are recovering');
  await Bun.sleep(replayGraceMs);
  const ledger = new PostgresRecoveryLedger(services.sql, shards);
  const waiting = [...shards];
  let aligned = 0;
  const compare = async () => {
    for (let shard = waiting.pop(); shard !== undefined; shard = waiting.pop()) {
      services.doubtful?.forget(shard);
      aligned += await alignWallets({ ...services, ledger }, shard);
    }
  };
  const done = await Promise.allSettled(Array.from({ length: shardsAtOnce }, compare));
  for (const result of done) if (result.status === 'rejected') throw result.reason;
  return aligned;
}

/** The Redis of each shard whose Redis responds; the other shards wait until theirs does. */
async function readIdentities(redis: RedisClient, shards: readonly Shard[]): Promise<ReadonlyMap<Shard, string>> {
  const states = await readServerStates(redis);
  const found = new Map<Shard, string>();
  for (const shard of shards) {
    const master = masterOfShard(redis, shard);
    const state = master && states.get(master);
    if (state !== undefined) found.set(shard, state.runId);
  }
  if (found.size === 0) throw new Error('no Redis server responds');
  return found;
}

async function findClosed(
  keeper: WalletKeeper,
  identities: ReadonlyMap<Shard, string>,
  doubtful: ReadonlySet<Shard>,
): Promise<Shard[]> {
  const shards = [...identities.keys()];
  const metas = await Promise.all(shards.map((shard) => keeper.readMeta(shard)));
  return shards.filter((shard, index) => {
    const meta = metas[index];
    return meta?.mode !== 'open' || meta.identity !== identities.get(shard) || doubtful.has(shard);
  });
}

interface Raised {
  readonly epochs: ReadonlyMap<Shard, number>;
  /** Shards of which Redis has nothing: their state is written before anything else. */
  readonly empty: readonly Shard[];
}

/**
 * 1 for a shard that was never open. Above the epoch in Redis too, which is the higher one if Postgres was restored to an
 * earlier moment: no two recoveries may have the same epoch.
 */
async function raiseEpochs({ sql, keeper }: RecoveryServices, shards: readonly Shard[]): Promise<Raised> {
  const metas = await Promise.all(shards.map((shard) => keeper.readMeta(shard)));
  const inRedis = metas.map((meta) => meta?.epoch ?? 0);
  const rows = await sql<{ shard: Shard; epoch: string }[]>`
    INSERT INTO shards (shard, epoch)
    SELECT shard, in_redis + 1 FROM unnest(${[...shards]}::smallint[], ${inRedis}::bigint[]) AS new (shard, in_redis)
    ON CONFLICT (shard) DO UPDATE SET epoch = greatest(shards.epoch, excluded.epoch - 1) + 1, opened_at = now()
    RETURNING shard, epoch`;
  return {
    epochs: new Map(rows.map((row) => [row.shard, Number(row.epoch)])),
    empty: shards.filter((_, index) => metas[index] === undefined),
  };
}
