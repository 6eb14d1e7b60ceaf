/**
 * Moves usage from Redis into the ledger: reads the head of each shard's stream, books it, and removes it from the
 * stream only after the commit. After a crash at any point, it is read again and ignored.
 */

import type { Scope } from '../../shared/limits/budget-levels.ts';
import type { Log } from '../../shared/log.ts';
import type { Shard } from '../../shared/wallet/shard.ts';
import type { ShardEntries, UsageEntry } from '../../shared/wallet/usage-stream/usage-entry.ts';
import type { UsageStream } from '../../shared/wallet/usage-stream/usage-stream.ts';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import type { Database } from '../database/connect.ts';
import type { Asked } from '../keys/hydrate-spend.ts';
import type { Rehash } from '../keys/rehash-key.ts';
import { absorbOrphans } from '../ledger/charges/absorb-orphans.ts';
import { applyCharges } from '../ledger/charges/apply-charges.ts';
import { type Charge, readUsageEntry } from '../ledger/charges/read-usage-entry.ts';
import { keepRejects, type Reject, refusalOf } from '../ledger/charges/rejects.ts';
import type { AlertTerms } from '../notifications/alert-sql.ts';
import type { DoubtfulShards } from '../wallets/recovery/doubtful-shards.ts';
import { reportAccountFault } from './account-fault.ts';
import { answerQuestions } from './answer-questions.ts';

interface ApplyServices {
  readonly database: Database;
  readonly keeper: WalletKeeper;
  readonly log: Log;
  /** Charges per transaction. */
  readonly batchMax?: number;
  /** Notified of shards whose charges were lost in Redis while they were being booked. */
  readonly doubtful?: DoubtfulShards;
  /** Without them no low-balance alerts are sent. */
  readonly alertTerms?: () => Promise<AlertTerms>;
}

/**
 * A row that many charges change, such as a balance, is updated once per transaction: larger ones cost less per charge.
 */
const defaultBatchMax = 1_000;
const transactionsAtOnce = 4;
/** Redis is blocked while it reads, and after an outage all shards have a backlog. */
const shardReadMax = 500;
/** After this many, the shards' locks are checked again. */
const roundsMax = 20;

/**
 * One step: waits up to half a second for usage and books everything available. Returns how many entries were taken.
 */
export async function applyUsage(
  services: ApplyServices,
  stream: UsageStream,
  shards: readonly Shard[],
): Promise<number> {
  const limit = Math.min(services.batchMax ?? defaultBatchMax, shardReadMax);
  let taken = 0;
  for (let round = 0; round < roundsMax; round += 1) {
    const waiting = (await stream.read(shards, limit)).map(untilAsked);
    taken += await applyAll(services, stream, waiting);
    if (!waiting.some(({ isCutOff }) => isCutOff)) break;
  }
  return taken;
}

/**
 * Without the charges that an account has made since it asked what was spent: these are counted in Redis already. They are
 * booked in the next round.
 */
export function untilAsked(batch: ShardEntries): ShardEntries {
  const asking = new Set<string | undefined>();
  for (const [index, { fields }] of batch.entries.entries()) {
    if (fields.kind === 'hydrate') {
      if (fields.scopes) asking.add(fields.account);
    } else if (asking.has(fields.account)) {
      const entries = batch.entries.slice(0, index);
      return { ...batch, entries, streamed: new Set(entries.map(({ id }) => id)).size, isCutOff: true };
    }
  }
  return batch;
}

async function applyAll(services: ApplyServices, stream: UsageStream, waiting: readonly ShardEntries[]) {
  const groups = groupsOf(waiting, services.batchMax ?? defaultBatchMax);
  const failures: unknown[] = [];
  let taken = 0;
  const takeGroups = async () => {
    for (let next = groups.pop(); next !== undefined; next = groups.pop()) {
      try {
        await applyGroup(services, stream, next);
        taken += next.reduce((sum, { entries }) => sum + entries.length, 0);
      } catch (error) {
        // One shard's failure does not stop the others: each is tried separately.
        if (next.length > 1) groups.push(...next.map((batch) => [batch]));
        else failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: transactionsAtOnce }, takeGroups));
  if (failures.length > 0) throw failures[0];
  return taken;
}

/** Shards whose entries are booked in one transaction. */
function groupsOf(waiting: readonly ShardEntries[], batchMax: number): ShardEntries[][] {
  const groups: ShardEntries[][] = [];
  let room = 0;
  for (const batch of waiting) {
    const group = groups.at(-1);
    if (group !== undefined && batch.entries.length <= room) group.push(batch);
    else {
      groups.push([batch]);
      room = batchMax;
    }
    room -= batch.entries.length;
  }
  return groups;
}

async function applyGroup(services: ApplyServices, stream: UsageStream, group: readonly ShardEntries[]): Promise<void> {
  const sorted = group.map((batch) => ({ ...batch, ...sort(batch.entries) }));
  const charges = sorted.flatMap((batch) => [...batch.charges.keys()]);
  if (charges.length > 0) {
    const { unknown } = await applyCharges(services.database.sql, charges, await services.alertTerms?.());
    for (const charge of unknown) {
      const batch = sorted.find((candidate) => candidate.charges.has(charge));
      const entry = batch?.charges.get(charge);
      if (entry !== undefined) batch?.rejects.push({ entry, problem: refusalOf(charge) });
    }
  }
  await Promise.all(sorted.map((batch) => finishShard(services, stream, batch)));
}

/** What fails for one account does not keep the entries of all others in the stream. */
async function finishShard(
  services: ApplyServices,
  stream: UsageStream,
  { shard, entries, streamed, charges, rejects, questions }: ShardEntries & Sorted,
): Promise<void> {
  const { database, keeper, log, doubtful } = services;
  if (rejects.length > 0) {
    log.error({ shard, entries: rejects.length, problem: rejects[0]?.problem }, 'usage could not be booked');
    await keepRejects(database.sql, shard, rejects);
  }
  const failed = await absorbOrphans({ sql: database.sql, keeper }, shard, charges.keys());
  for (const [accountId, error] of failed) reportAccountFault(log, accountId, error);
  // After the charges before them in the stream, so that the ledger's sums are as fresh as possible.
  await answerQuestions(services, questions);
  const last = entries.at(-1);
  const removed = last === undefined ? 0 : await stream.removeThrough(shard, last.id);
  if (removed < streamed && charges.size > 0) {
    await doubtful?.missing(shard, Math.min(...[...charges.keys()].map(({ epoch }) => epoch)));
  }
}

type Sorted = ReturnType<typeof sort>;

function sort(entries: readonly UsageEntry[]) {
  const charges = new Map<Charge, UsageEntry>();
  const rejects: Reject[] = [];
  const wallets = new Set<number>();
  const spends: [Scope, Asked][] = [];
  const shownKeys = new Map<number, number>();
  const rehashes: Rehash[] = [];
  for (const entry of entries) {
    const read = readUsageEntry(entry);
    if (read.kind === 'charge') charges.set(read, entry);
    else if (read.kind === 'hydrate') {
      wallets.add(read.accountId);
      for (const scope of read.scopes) spends.push([scope, read.asked]);
      if (read.shownKeyId !== undefined) shownKeys.set(read.shownKeyId, read.accountId);
    } else if (read.kind === 'rehash') rehashes.push(read);
    else rejects.push({ entry, problem: read.problem });
  }
  return { charges, rejects, questions: { wallets, spends, shownKeys, rehashes } };
}
