/** Many runs, one after another on one real Redis, and their totals. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startRedis } from '../../local/servers/redis.ts';
import { loadMutant } from './mutants.ts';
import { underSimulation } from './simulated/simulated-redis.ts';
import { randomStep } from './steps.ts';
import { addRun, emptySummary, type Summary } from './summary.ts';
import { type RunResult, World, type WorldOptions } from './world.ts';

const stepsMin = 40;
const stepsMax = 110;

export interface SimulationOptions extends WorldOptions {
  /** One per run; the same seed is the same run, whatever ran before it. */
  readonly seeds: readonly number[];
  /** Ends with the first run that has a violation. */
  readonly untilViolation?: boolean;
  readonly onProgress?: (done: number) => void;
}

export async function simulate(options: SimulationOptions): Promise<Summary> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-simulation-'));
  const path = join(directory, 'redis.sock');
  const server = await startRedis({ dataDir: directory, extraArguments: ['--unixsocket', path] });
  const redis = new Redis({ path, protocol: 2, enableAutoPipelining: true });
  try {
    return await simulateOn(redis, options);
  } finally {
    redis.disconnect();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function simulateOn(redis: Redis, options: SimulationOptions): Promise<Summary> {
  const scripts = loadMutant(options.mutant, underSimulation);
  await Promise.all(Object.values(scripts).map((script) => script.load(redis)));
  const summary = emptySummary();
  for (const seed of options.seeds) {
    addRun(summary, await run(new World(redis, scripts, seed, options)));
    if (options.untilViolation && summary.failed.length > 0) break;
    if (summary.runs % 50 === 0) options.onProgress?.(summary.runs);
  }
  return summary;
}

/** With random faults; the same seed gives the same run. */
async function run(world: World): Promise<RunResult> {
  await world.begin();
  const steps = world.random.integer(stepsMin, stepsMax);
  for (let count = 0; count < steps; count += 1) {
    const step = await randomStep(world);
    await world.checks.afterStep(step);
  }
  await world.comeToRest();
  return world.result();
}
