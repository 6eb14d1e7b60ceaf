/**
 * `bun run simulate:payments --runs N [--seed S] [--workers N]`: many seeds, shared out to processes of their own, and a
 * table of what happened in them. Exit code 1 if a seed failed.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { endChildrenAtExit, noteRunning } from '../../local/processes/child.ts';
import { startTestPostgres } from '../harness/postgres.ts';
import { renderTable } from '../harness/render-table.ts';
import { emptySummary, type SimulationSummary, simulatePayments } from './simulate.ts';

endChildrenAtExit();
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(availableParallelism()) },
    /** This process's share of the runs: `index/count`. */
    worker: { type: 'string' },
  },
});
const seeds = Array.from({ length: Number(values.runs) }, (_, index) => Number(values.seed) + index);

/** What is counted, by the heading of its column. */
const counted = {
  runs: 'runs',
  steps: 'steps',
  orders: 'payments',
  booked: 'booked',
  automatic: 'automatic',
  returned: 'refunds',
  'disputes won': 'restored',
  'calls of providers': 'providerCalls',
} as const;
const header = ['process', ...Object.keys(counted), 'failed'];

if (values.worker !== undefined) {
  const [index = 0, count = 1] = values.worker.split('/').map(Number);
  const own = seeds.filter((_, position) => position % count === index);
  const onProgress = (done: number) => void process.stderr.write(done % 50 === 0 ? `${done} ` : '');
  console.log(JSON.stringify(await simulatePayments(own, { onProgress })));
  process.exit(0);
}

const startedAtMs = Date.now();
const postgres = await startTestPostgres();
const count = Math.min(Number(values.workers), seeds.length);
const summaries = await Promise.all(Array.from({ length: count }, (_, index) => runWorker(index)));
await postgres.stop();
const failed = summaries.flatMap((summary) => summary.failed);
for (const { seed, problems } of failed) console.log(`seed ${seed}:\n  ${problems.join('\n  ')}`);
console.log(renderTable([header, ...summaries.map(rowOf), rowOf(totalOf(summaries), 'all')]));
const seconds = Math.round((Date.now() - startedAtMs) / 1_000);
console.log(`seeds ${seeds[0]} to ${seeds.at(-1)}, ${failed.length} failed, ${seconds} s in ${count} processes`);
process.exit(failed.length === 0 ? 0 : 1);

function rowOf(summary: SimulationSummary, name: number | string): string[] {
  return [String(name), ...Object.values(counted).map((key) => String(summary[key])), String(summary.failed.length)];
}

function totalOf(summaries: readonly SimulationSummary[]): SimulationSummary {
  const total: SimulationSummary = emptySummary();
  for (const summary of summaries) {
    for (const key of Object.values(counted)) total[key] += summary[key];
    total.failed.push(...summary.failed);
  }
  return total;
}

async function runWorker(index: number): Promise<SimulationSummary> {
  const command = [process.execPath, import.meta.path, ...process.argv.slice(2), '--worker', `${index}/${count}`];
  const worker = Bun.spawn(command, {
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, TEST_POSTGRES_URL: postgres.url },
  });
  noteRunning(worker);
  const output = await new Response(worker.stdout).text();
  if ((await worker.exited) !== 0) throw new Error(`worker ${index} has failed`);
  return JSON.parse(output) as SimulationSummary;
}
