/**
 * Where the gateway spends its CPU time, by JavaScript function:
 * `bun bench/profile/main.ts json|stream|large [SECONDS] [CONTENDER]`. It leaves no files behind.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Load, measure, warmUp } from '../measure/alternate.ts';
import { onStage } from '../stage/on-stage.ts';
import type { Stage } from '../stage/stage.ts';
import { JitDump } from './jit-dump.ts';
import { isLoad, loadNames, loads } from './loads.ts';
import { shareOut } from './ownership.ts';
import { jitDumpEnvironment, printSamples, readJitDump, recordWhile, whyNoPerf } from './perf.ts';
import { renderProfile } from './render-profile.ts';
import { readSamples } from './samples.ts';
import { profiled, startProfiled } from './start-profiled.ts';

const [name = '', seconds = '5', contender = 'gateway'] = process.argv.slice(2);
const load = isLoad(name) ? loads[name] : undefined;
const problem =
  load === undefined || !(Number(seconds) > 0) || !profiled.includes(contender)
    ? `${loadNames}, then seconds, then ${profiled.join(' or ')}`
    : whyNoPerf();
if (load === undefined || problem !== undefined) {
  console.error(problem);
  process.exit(2);
}
const directory = await mkdtemp(join(tmpdir(), 'gateway-bench-profile-'));
const options = { rounds: 1, seconds: Number(seconds), quick: false, essential: true };
const exitCode = await onStage(options, async ({ stage }) => {
  console.log(await profile(stage, load));
  return 0;
}).finally(() => rm(directory, { recursive: true, force: true }));
process.exit(exitCode);

async function profile(stage: Stage, given: Omit<Load, 'measureMs'>): Promise<string> {
  const running = await startProfiled(contender, stage, { environment: jitDumpEnvironment(directory) });
  const file = join(directory, 'perf.data');
  try {
    await warmUp(stage, running, given);
    const measured = { ...given, measureMs: stage.seconds * 1_000 };
    const result = await recordWhile(running.pid, file, () => measure(stage, running, measured));
    const samples = readSamples(await printSamples(file));
    return renderProfile(shareOut(samples, new JitDump(readJitDump(directory))), result);
  } finally {
    await running.stop();
  }
}
