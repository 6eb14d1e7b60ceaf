/** Empties all streams into the ledger with one or more independent appliers, and measures the time. */
import { connectDatabase, type Database } from '../../admin/database/connect.ts';
import { applyUsage } from '../../admin/workers/apply-usage.ts';
import { createLog } from '../../shared/log.ts';
import { allShards } from '../../shared/wallet/shard.ts';
import { UsageStream } from '../../shared/wallet/usage-stream/usage-stream.ts';
import { cpuBetween, readUsage } from '../measure/process-usage.ts';
import type { Stores } from './stores.ts';

export interface Drained {
  /** More than there were if several appliers took the same entries. */
  readonly entries: number;
  /** From the first read to the last entry taken. */
  readonly seconds: number;
  /** Of this process. */
  readonly cpuSeconds: number;
  /** Of all of Postgres' processes. */
  readonly postgresCpuSeconds: number;
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
  const watched = { postgres: [stores.postgresPid] };
  const readCpu = () => ({ own: process.cpuUsage(), others: readUsage(watched) });
  const databases = Array.from({ length: appliers }, () => connectDatabase(databaseUrl));
  const before = readCpu();
  const startedAt = performance.now();
  try {
    const drained = await Promise.all(databases.map((database) => apply(stores, database, batchMax)));
    // Processes of Postgres end with their connections.
    const { own, others } = readCpu();
    return {
      entries: drained.reduce((sum, { entries }) => sum + entries, 0),
      seconds: (Math.max(...drained.map(({ endedAt }) => endedAt)) - startedAt) / 1_000,
      failures: drained.reduce((sum, { failures }) => sum + failures, 0),
      cpuSeconds: (own.user + own.system - before.own.user - before.own.system) / 1e6,
      postgresCpuSeconds: cpuBetween(before.others, others).postgres ?? 0,
    };
  } finally {
    for (const database of databases) await database.close();
  }
}

async function apply({ keeper, redis }: Stores, database: Database, batchMax: number) {
  const stream = new UsageStream(redis, () => {});
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
  }
}
