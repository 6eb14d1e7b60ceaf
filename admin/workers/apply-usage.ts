/**
 * Moves usage from Redis into the ledger: reads what each shard's stream begins with, books it, and only after the
 * commit removes it from the stream. Dying at any point in between means that it is read, and ignored, again.
 */
import type { Log } from '../../shared/log.ts';
import type { Shard } from '../../shared/shard.ts';
import type { ShardEntries, UsageEntry } from '../../shared/wallet/usage-entry.ts';
import type { UsageStream } from '../../shared/wallet/usage-stream.ts';
import type { WalletKeeper } from '../../shared/wallet/wallet-keeper.ts';
import type { Database } from '../database/connect.ts';
import { hydrateKeySpend } from '../keys/hydrate-key-spend.ts';
import { applyCharges } from '../ledger/apply-charges.ts';
import { hydrateWallet } from '../ledger/hydrate-wallet.ts';
import { keepRejects, type Reject } from '../ledger/keep-rejects.ts';
import { type Charge, readUsageEntry } from '../ledger/read-usage-entry.ts';
import type { AlertTerms } from '../notifications/alert-terms.ts';

interface ApplyServices {
  readonly database: Database;
  readonly keeper: WalletKeeper;
  readonly log: Log;
  /** Without them nobody is alerted of a low balance. */
  readonly alertTerms?: () => Promise<AlertTerms>;
}

const batchMax = 500;
const shardsAtOnce = 4;

/** One step: waits up to half a second for usage and books what has come. Returns how many entries were taken. */
export async function applyUsage(
  services: ApplyServices,
  stream: UsageStream,
  shards: readonly Shard[],
): Promise<number> {
  const waiting = [...(await stream.read(shards, batchMax))];
  const failures: unknown[] = [];
  let taken = 0;
  const takeShards = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      try {
        await applyShard(services, stream, next);
        taken += next.entries.length;
      } catch (error) {
        // One shard's trouble does not stop the others.
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: shardsAtOnce }, takeShards));
  if (failures.length > 0) throw failures[0];
  return taken;
}

async function applyShard(services: ApplyServices, stream: UsageStream, batch: ShardEntries): Promise<void> {
  const { shard, entries } = batch;
  const { charges, accountsToHydrate, keysToHydrate, rejects } = sort(entries);
  if (charges.size > 0) {
    const { unknown } = await applyCharges(services.database.sql, [...charges.keys()], await services.alertTerms?.());
    for (const charge of unknown) {
      const entry = charges.get(charge);
      if (entry !== undefined) rejects.push({ entry, problem: `there is no account ${charge.accountId}` });
    }
  }
  if (rejects.length > 0) {
    services.log.error({ shard, entries: rejects.length, problem: rejects[0]?.problem }, 'usage could not be booked');
    await keepRejects(services.database.sql, shard, rejects);
  }
  // After the charges before it in the stream, so that the ledger's sums are as fresh as they can be.
  for (const accountId of accountsToHydrate) {
    await hydrateWallet({ sql: services.database.sql, keeper: services.keeper }, accountId);
  }
  for (const keyId of keysToHydrate) {
    await hydrateKeySpend({ sql: services.database.sql, keeper: services.keeper }, keyId, new Date());
  }
  const last = entries.at(-1);
  if (last !== undefined) await stream.removeThrough(shard, last.id);
}

function sort(entries: readonly UsageEntry[]) {
  const charges = new Map<Charge, UsageEntry>();
  const accountsToHydrate = new Set<number>();
  const keysToHydrate = new Set<number>();
  const rejects: Reject[] = [];
  for (const entry of entries) {
    const read = readUsageEntry(entry);
    if (read.kind === 'charge') charges.set(read, entry);
    else if (read.kind === 'hydrate') {
      accountsToHydrate.add(read.accountId);
      if (read.keyId !== undefined) keysToHydrate.add(read.keyId);
    } else rejects.push({ entry, problem: read.problem });
  }
  return { charges, accountsToHydrate, keysToHydrate, rejects };
}
