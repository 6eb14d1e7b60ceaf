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
import type { ShardMeta, ShardMode, WalletKeeper } from '../../../shared/wallet/wallet-keeper.ts';
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

type ShardStates = ReadonlyMap<Shard, ShardMeta>;

/** One step: returns how many shards had to be opened. */
export async function keepShardsOpen(services: RecoveryServices, shards: readonly Shard[]): Promise<number> {
  if (shards.length === 0) return 0;
  const identities = await readIdentities(services.redis, shards);
  const { opened, filling } = await openClosed(services, identities);
  await fill(services, filling);
  return opened;
}

/** Returns how many had to be opened, and those whose other keys have to follow: also what an admin has left that ended meanwhile. */
async function openClosed(
  services: RecoveryServices,
  identities: ReadonlyMap<Shard, string>,
): Promise<{ opened: number; filling: ShardStates }> {
  const doubtful = services.doubtful?.take() ?? new Set();
  try {
    const states = await readStates(services.keeper, [...identities.keys()]);
    const isClosed = (shard: Shard) => {
      const state = states.get(shard);
      return state?.mode === 'recovering' || state?.identity !== identities.get(shard) || doubtful.has(shard);
    };
    const closed = [...identities.keys()].filter(isClosed);
    const filling = closed.length === 0 ? [] : await open(services, closed, identities);
    services.doubtful?.giveBack([...doubtful].filter((shard) => !closed.includes(shard)));
    const left = [...states].filter(([shard, { mode }]) => mode === 'filling' && !closed.includes(shard));
    return { opened: closed.length, filling: new Map([...left, ...filling]) };
  } catch (error) {
    services.doubtful?.giveBack(doubtful);
    throw error;
  }
}

/**
 * Where Redis has lost everything, keys of accounts in use are published first, and may be used while the others follow. Where it
 * has not, it may have former states of keys, so all are published before. Returns the shards whose other keys have to follow.
 */
async function open(
  services: RecoveryServices,
  closed: readonly Shard[],
  identities: ReadonlyMap<Shard, string>,
): Promise<ShardStates> {
  const before = await readStates(services.keeper, closed);
  const epochs = await raiseEpochs(services.sql, closed, before);
  const [empty, others] = [closed.filter((shard) => !before.has(shard)), closed.filter((shard) => before.has(shard))];
  const recovering = new Map(
    closed.map((shard): [Shard, ShardMeta] => [
      shard,
      { mode: 'recovering', epoch: epochs.get(shard) ?? 1, identity: identities.get(shard) ?? '' },
    ]),
  );
  await Promise.all(Array.from(recovering, ([shard, state]) => services.keeper.writeMeta(shard, state)));
  const [walletsAligned] = await Promise.all([
    compareWallets(
      services,
      closed.filter((shard) => (epochs.get(shard) ?? 1) > 1),
    ),
    publishKeysOfShards(services, empty, 'active').then(() => publishKeysOfShards(services, others)),
  ]);
  const opened = await move(services, pick(recovering, others), 'open');
  const filling = await move(services, pick(recovering, empty), 'filling');
  const shards = opened.size + filling.size;
  if (shards > 0) services.log.info({ shards, walletsAligned }, 'shards are open');
  return filling;
}

async function fill(services: RecoveryServices, filling: ShardStates): Promise<void> {
  if (filling.size === 0) return;
  await publishKeysOfShards(services, [...filling.keys()]);
  await move(services, filling, 'open');
}

/** Returns those that are in the mode now. The others were lost again meanwhile, and are found closed by the next step. */
async function move({ keeper, log }: RecoveryServices, states: ShardStates, mode: ShardMode): Promise<ShardStates> {
  const moved = await Promise.all(
    Array.from(states, async ([shard, state]) =>
      (await keeper.moveShard(shard, state, mode)) ? [[shard, { ...state, mode }] as const] : [],
    ),
  );
  const inMode = new Map(moved.flat());
  const lost = states.size - inMode.size;
  if (lost > 0)
    log.warn({ shards: lost }, 'Redis lost its data while shards were recovering: they are recovered again');
  return inMode;
}

function pick(states: ShardStates, shards: readonly Shard[]): ShardStates {
  return new Map([...states].filter(([shard]) => shards.includes(shard)));
}

/** Of shards of which Redis has anything: their states are written before anything else. */
async function readStates(keeper: WalletKeeper, shards: readonly Shard[]): Promise<ShardStates> {
  const read = await Promise.all(shards.map(async (shard) => [shard, await keeper.readMeta(shard)] as const));
  return new Map(read.flatMap(([shard, state]) => (state === undefined ? [] : [[shard, state] as const])));
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
      const set = await alignWallets({ ...services, ledger }, shard);
      aligned += set;
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

/**
 * 1 for a shard that was never open. Above the epoch in Redis too, which is the higher one if Postgres was restored to an
 * earlier moment: no two recoveries may have the same epoch.
 */
async function raiseEpochs(sql: Sql, shards: readonly Shard[], before: ShardStates): Promise<Map<Shard, number>> {
  const inRedis = shards.map((shard) => before.get(shard)?.epoch ?? 0);
  const rows = await sql<{ shard: Shard; epoch: string }[]>`
    INSERT INTO shards (shard, epoch)
    SELECT shard, in_redis + 1 FROM unnest(${[...shards]}::smallint[], ${inRedis}::bigint[]) AS new (shard, in_redis)
    ON CONFLICT (shard) DO UPDATE SET epoch = greatest(shards.epoch, excluded.epoch - 1) + 1, opened_at = now()
    RETURNING shard, epoch`;
  return new Map(rows.map((row) => [row.shard, Number(row.epoch)]));
}
