/** Many runs, one after another on one real Redis, and their sum. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedis } from '../../local/servers/redis.ts';
import { formatUsd, nanoUsd } from '../../shared/money.ts';
import { Counter } from './counter.ts';
import type { Mutant } from './mutants.ts';
import { type RunResult, World } from './world.ts';

export interface Summary {
  readonly runs: number;
  readonly requests: number;
  readonly faults: Counter;
  /** Runs with violations; each can be repeated by its seed. */
  readonly failed: readonly RunResult[];
  readonly lowestNano: bigint;
  readonly lowestAfterLossNano: bigint;
  readonly uncharged: ReadonlyMap<string, bigint>;
}

export interface SimulationOptions {
  readonly runs: number;
  readonly firstSeed: number;
  readonly mutant?: Mutant;
  /** Ends with the first run that has a violation. */
  readonly untilViolation?: boolean;
  readonly onProgress?: (done: number) => void;
}

export async function simulate(options: SimulationOptions): Promise<Summary> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-simulation-'));
  const server = await startRedis({ dataDir: directory });
  const redis = new Redis(server.url, { protocol: 2 });
  try {
    return await simulateOn(redis, options);
  } finally {
    redis.disconnect();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function simulateOn(redis: Redis, options: SimulationOptions): Promise<Summary> {
  const faults = new Counter();
  const failed: RunResult[] = [];
  const uncharged = new Map<string, bigint>();
  let requests = 0;
  let lowestNano = 0n;
  let lowestAfterLossNano = 0n;
  let runs = 0;
  while (runs < options.runs && !(options.untilViolation && failed.length > 0)) {
    const result = await new World(redis, options.firstSeed + runs, options.mutant).run();
    runs += 1;
    requests += result.requests;
    faults.addAll(result.faults);
    if (result.lowestNano < lowestNano) lowestNano = result.lowestNano;
    if (result.lowestAfterLossNano < lowestAfterLossNano) lowestAfterLossNano = result.lowestAfterLossNano;
    if (result.violations.length > 0) failed.push(result);
    for (const [reason, nano] of result.uncharged) uncharged.set(reason, (uncharged.get(reason) ?? 0n) + nano);
    if (runs % 50 === 0) options.onProgress?.(runs);
  }
  return { runs, requests, faults, failed, lowestNano, lowestAfterLossNano, uncharged };
}

const violationsShown = 10;

export function renderSummary(summary: Summary): string {
  const rows: [string, string][] = [
    ['runs', String(summary.runs)],
    ['requests', String(summary.requests)],
    ...[...summary.faults.counts].sort().map(([name, count]): [string, string] => [`fault: ${name}`, String(count)]),
    ['lowest balance', `$${formatUsd(nanoUsd(summary.lowestNano))}`],
    ['lowest balance after Redis forgot writes', `$${formatUsd(nanoUsd(summary.lowestAfterLossNano))}`],
    ...[...summary.uncharged].map(([reason, nano]): [string, string] => [
      `uncharged: ${reason}`,
      `$${formatUsd(nanoUsd(nano))}`,
    ]),
    ['violations', String(summary.failed.reduce((sum, run) => sum + run.violations.length, 0))],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, value]) => `${name.padEnd(width)}  ${value.padStart(12)}`);
  for (const run of summary.failed.slice(0, violationsShown)) {
    lines.push(`seed ${run.seed}: ${run.violations.slice(0, 3).join('; ')}`);
  }
  return lines.join('\n');
}
