/**
 * `bun run simulate --runs N [--seed S | --random S] [--profile NAME] [--mutant NAME] [--workers N]`: many runs, and a
 * table of what happened in them. The seeds of the runs count up from S, or are drawn at random from S.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { endChildrenAtExit, noteRunning } from '../../local/processes/child.ts';
import { SeededRandom } from '../harness/seeded-random.ts';
import { mutants } from './mutants.ts';
import { profiles } from './profiles.ts';
import { simulate } from './simulate.ts';
import { addSummary, emptySummary, parseSummary, printSummary, renderSummary, type Summary } from './summary.ts';

const seedsMax = 2 ** 31;
const workerFlag = '--worker';

endChildrenAtExit();
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    random: { type: 'string' },
    profile: { type: 'string', default: 'usual' },
    mutant: { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism()) },
    /** This process's share of the runs: `index/count`. */
    worker: { type: 'string' },
  },
});
const profile = oneOf('profile', Object.keys(profiles) as (keyof typeof profiles)[], values.profile);
const mutant = values.mutant === undefined ? undefined : oneOf('mutant', mutants, values.mutant);
const runs = Number(values.runs);

if (values.worker !== undefined) {
  const [index = 0, count = 1] = values.worker.split('/').map(Number);
  const seeds = seedsOfCampaign().filter((_, position) => position % count === index);
  printSummary(await simulate({ seeds, profile, mutant, onProgress: (done) => process.stderr.write(`${done}\n`) }));
  process.exit(0);
}

const startedAtMs = Date.now();
const summary = emptySummary();
const count = Math.min(Number(values.workers), runs);
const done = new Array<number>(count).fill(0);
await Promise.all(done.map(async (_, index) => addSummary(summary, await runWorker(index))));
process.stderr.write('\n');
console.log(renderSummary(summary));
console.log(`${Math.round((Date.now() - startedAtMs) / 1_000)} s on ${count} cores, profile ${profile}`);
process.exit(summary.failed.length === 0 ? 0 : 1);

async function runWorker(index: number): Promise<Summary> {
  const command = [process.execPath, import.meta.path, ...process.argv.slice(2), workerFlag, `${index}/${count}`];
  const worker = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' });
  noteRunning(worker);
  const [output] = await Promise.all([new Response(worker.stdout).text(), showProgress(worker.stderr, index)]);
  if ((await worker.exited) !== 0) throw new Error(`worker ${index} has failed`);
  return parseSummary(output);
}

async function showProgress(progress: ReadableStream<Uint8Array>, index: number): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of progress) {
    const text = decoder.decode(chunk);
    const last = text.trim().split('\n').at(-1) ?? '';
    if (/^\d+$/.test(last)) done[index] = Number(last);
    else process.stderr.write(text);
    process.stderr.write(`\r${done.reduce((sum, each) => sum + each, 0)} runs`);
  }
}

function seedsOfCampaign(): number[] {
  if (values.random === undefined) return Array.from({ length: runs }, (_, index) => Number(values.seed) + index);
  const random = new SeededRandom(Number(values.random));
  return Array.from({ length: runs }, () => random.integer(1, seedsMax));
}

function oneOf<Name extends string>(what: string, names: readonly Name[], value: string): Name {
  const name = names.find((each) => each === value);
  if (name !== undefined) return name;
  console.error(`--${what}: one of ${names.join(', ')}`);
  process.exit(2);
}
