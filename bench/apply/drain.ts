/** Empties all streams into the ledger with one or more independent appliers, and measures the time. */
import { connectDatabase } from '../../admin/database/connect.ts';
import { applyUsage } from '../../admin/workers/apply-usage.ts';
import { createLog } from '../../shared/log.ts';
import { allShards } from '../../shared/wallet/shard.ts';
import { UsageStream } from '../../shared/wallet/usage-stream/usage-stream.ts';
import type { Stores } from './stores.ts';

export interface Drained {
  /** More than there were if several appliers took the same entries. */
  readonly entries: number;
  /** From the first read to the last entry taken. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Steps that failed and were repeated. */
  readonly failures: number;
}

const failuresMax = 100;

interface DrainOptions {
  readonly stores: Stores;
  readonly databaseUrl: string;
  readonly batchMax: number;
  readonly appliers: number;
}

export async function drain({ stores, databaseUrl, batchMax, appliers }: DrainOptions): Promise<Drained> {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const drained = await Promise.all(Array.from({ length: appliers }, () => apply(stores, databaseUrl, batchMax)));
  const cpu = process.cpuUsage(cpuBefore);
  return {
    entries: drained.reduce((sum, { entries }) => sum + entries, 0),
    seconds: (Math.max(...drained.map(({ endedAt }) => endedAt)) - startedAt) / 1_000,
    failures: drained.reduce((sum, { failures }) => sum + failures, 0),
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  };
}

async function apply({ keeper, redis }: Stores, databaseUrl: string, batchMax: number) {
  const stream = new UsageStream(redis, () => {});
  const database = connectDatabase(databaseUrl);
  const log = createLog({ program: 'admin', level: 'error' });
  let entries = 0;
  let failures = 0;
  let endedAt = performance.now();
  try {
    for (;;) {
      // On a busy machine a read can time out; failed steps are repeated, as in the worker.
      const taken = await applyUsage({ database, keeper, log, batchMax }, stream, allShards).catch((error: unknown) => {
        failures += 1;
        if (failures > failuresMax) throw error;
      });
      if (taken === 0) return { entries, failures, endedAt };
      entries += taken ?? 0;
      endedAt = performance.now();
    }
  } finally {
    stream.close();
    await database.close();
  }
}
