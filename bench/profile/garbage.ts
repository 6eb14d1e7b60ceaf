/**
 * What a request or chunk leaves to the garbage collector, by type of object: `bun bench/profile/garbage.ts json|stream|large
 * [CONTENDER]`. The collector is switched off, so that every object that was made is counted, also those that compiled code
 * has avoided making.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../../local/processes/poll.ts';
import type { RunningContender } from '../contenders/contender.ts';
import type { LoadResult } from '../load/job.ts';
import { measure } from '../measure/alternate.ts';
import { onStage } from '../stage/on-stage.ts';
import type { Stage } from '../stage/stage.ts';
import { countsFileVariable, type ObjectCounts } from './count-objects.ts';
import { isLoad, loadNames, loads } from './loads.ts';
import { profiled, startProfiled } from './start-profiled.ts';

/** Without a collector, memory only grows: a few hundred megabytes. */
const seconds = 2;
/** Compiled code makes fewer objects, and is compiled after some ten thousand requests or chunks. */
const warmUpSeconds = 6;
const countsTimeoutMs = 20_000;
/** Types of which every second request makes none are left out. */
const shownMin = 0.5;

const [name = '', contender = 'gateway'] = process.argv.slice(2);
if (!isLoad(name) || !profiled.includes(contender)) {
  console.error(`${loadNames}, then ${profiled.join(' or ')}`);
  process.exit(2);
}
const load = loads[name];
const directory = await mkdtemp(join(tmpdir(), 'gateway-bench-garbage-'));
const exitCode = await onStage({ rounds: 1, seconds, quick: true, essential: true }, async ({ stage }) => {
  console.log(await count(stage));
  return 0;
}).finally(() => rm(directory, { recursive: true, force: true }));
process.exit(exitCode);

async function count(stage: Stage): Promise<string> {
  const running = await startProfiled(contender, stage, {
    preload: join(import.meta.dir, 'count-objects.ts'),
    environment: { BUN_JSC_useGC: '0', [countsFileVariable]: join(directory, 'counts.json') },
  });
  const measured = { ...load, warmUpMs: 0, measureMs: seconds * 1_000 };
  try {
    await measure(stage, running, { ...measured, measureMs: warmUpSeconds * 1_000 });
    const before = await countsOf(running);
    const result = await measure(stage, running, measured);
    return render({ before, after: await countsOf(running) }, result);
  } finally {
    await running.stop();
  }
}

async function countsOf({ pid }: RunningContender): Promise<ObjectCounts> {
  const file = join(directory, 'counts.json');
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  const isWritten = async () => existsSync(file) && Bun.file(file).size > 0;
  if (!(await waitUntil(isWritten, { timeoutMs: countsTimeoutMs }))) throw new Error(`${contender} counts nothing`);
  return Bun.file(file).json();
}

function render({ before, after }: Record<'before' | 'after', ObjectCounts>, { requests, chunks }: LoadResult): string {
  const [units, unit] = name === 'stream' ? [chunks, 'chunk'] : [requests, 'request'];
  const counts = Object.entries(after.byType)
    .map(([type, total]) => ({ type, made: (total - (before.byType[type] ?? 0)) / units }))
    .toSorted((one, other) => other.made - one.made);
  const sum = counts.reduce((all, { made }) => all + made, 0);
  const kilobytes = (after.residentBytes - before.residentBytes) / units / 1_000;
  return [
    `${sum.toFixed(0)} objects and ${kilobytes.toFixed(1)} KB a ${unit}, of ${units.toLocaleString('en')}`,
    ...counts.filter(({ made }) => made >= shownMin).map(({ type, made }) => `${made.toFixed(1).padStart(8)}  ${type}`),
  ].join('\n');
}
