/** Many runs, each with a ledger of its own: months in which everything goes wrong, then rest, then a change that has to show. */
import { makePartitions } from '../../admin/database/partitions.ts';
import type { RedisClient } from '../../shared/redis/connect.ts';
import { openLedger } from '../admin/ledger/ledger.ts';
import { makePrice } from '../admin/ledger/past-charges.ts';
import { SeededRandom } from '../harness/seeded-random.ts';
import { startHarness } from '../harness.ts';
import { checkThatChangesShow, checkTruth } from './checks.ts';
import type { Mutant } from './mutants.ts';
import { comeToRest, type Step, sealedMonths, takeStep, weights } from './steps.ts';
import { firstMs, World } from './world.ts';

const stepsMin = 60;
const stepsMax = 160;

export interface SimulationOptions {
  readonly seeds: readonly number[];
  readonly mutant?: Mutant | undefined;
  /** Ends with the first run that has a violation. */
  readonly untilViolation?: boolean;
}

export interface SimulationSummary {
  runs: number;
  requests: number;
  sealed: number;
  archived: number;
  /** How many of each kind were made, and had to show. */
  readonly changes: Map<string, number>;
  readonly failed: { readonly seed: number; readonly violations: readonly string[] }[];
}

export async function simulateSeals({ seeds, mutant, untilViolation }: SimulationOptions): Promise<SimulationSummary> {
  const { redis, stop } = await startHarness();
  const summary: SimulationSummary = { runs: 0, requests: 0, sealed: 0, archived: 0, changes: new Map(), failed: [] };
  try {
    for (const seed of seeds) {
      await redis.flushall();
      await run({ seed, mutant, redis }, summary);
      if (untilViolation && summary.failed.length > 0) break;
    }
  } finally {
    await stop();
  }
  return summary;
}

async function run(
  { seed, mutant, redis }: { seed: number; mutant: Mutant | undefined; redis: RedisClient },
  summary: SimulationSummary,
): Promise<void> {
  const random = new SeededRandom(seed);
  const ledger = await openLedger({ compact: random.chance(0.7) });
  try {
    for (const at of [firstMs, Date.parse('2026-04-10T00:00:00Z')]) await makePartitions(ledger.sql, new Date(at));
    const accountIds = [await ledger.openAccount(), await ledger.openAccount()];
    const world = new World({
      ...{ ledger, redis, random, accountIds, mutant },
      priceVersion: await makePrice(ledger),
    });
    for (let left = random.integer(stepsMin, stepsMax); left > 0; left -= 1)
      await takeStep(world, random.weighted<Step>(weights));
    await comeToRest(world);
    await checkTruth(world);
    summary.runs += 1;
    summary.requests += world.requests.size;
    summary.sealed += (await sealedMonths(world)).length;
    summary.archived += (await ledger.archive.store.list('usage-')).length;
    const changed = await checkThatChangesShow(world);
    if (changed !== undefined) summary.changes.set(changed, (summary.changes.get(changed) ?? 0) + 1);
    if (world.violations.length > 0) summary.failed.push({ seed, violations: world.violations });
  } finally {
    await ledger.close();
  }
}
