/** `bun run simulate:payments --runs N [--seed S] [--workers N]`: many seeds, and what happened in them. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { startTestPostgres } from '../harness/postgres.ts';
import { type SimulationSummary, simulatePayments } from './simulate.ts';

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

if (values.worker !== undefined) {
  const [index = 0, count = 1] = values.worker.split('/').map(Number);
  const own = seeds.filter((_, position) => position % count === index);
  console.log(
    JSON.stringify(await simulatePayments(own, (done) => process.stderr.write(done % 50 === 0 ? `${done} ` : ''))),
  );
  process.exit(0);
}

const startedAtMs = Date.now();
const postgres = await startTestPostgres();
const count = Math.min(Number(values.workers), seeds.length);
const summaries = await Promise.all(Array.from({ length: count }, (_, index) => runWorker(index)));
await postgres.stop();
const failed = summaries.flatMap((summary) => summary.failed);
for (const { seed, problems } of failed) console.log(`seed ${seed}:\n  ${problems.join('\n  ')}`);
const sum = (of: (summary: SimulationSummary) => number) => summaries.reduce((total, each) => total + of(each), 0);
console.log(
  `${sum(({ runs }) => runs)} runs, ${sum(({ steps }) => steps)} steps, ${sum(({ payments }) => payments)} payments, ` +
    `${sum(({ booked }) => booked)} booked (${sum(({ automatic }) => automatic)} automatically), ` +
    `${sum(({ restored }) => restored)} disputes won, ` +
    `${sum(({ refunds }) => refunds)} refunds and reversals, ` +
    `${sum(({ providerCalls }) => providerCalls)} calls of providers; ${failed.length} runs failed; ` +
    `${Math.round((Date.now() - startedAtMs) / 1_000)} s on ${count} cores`,
);
process.exit(failed.length === 0 ? 0 : 1);

async function runWorker(index: number): Promise<SimulationSummary> {
  const command = [process.execPath, import.meta.path, ...process.argv.slice(2), '--worker', `${index}/${count}`];
  const worker = Bun.spawn(command, {
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, TEST_POSTGRES_URL: postgres.url },
  });
  const output = await new Response(worker.stdout).text();
  if ((await worker.exited) !== 0) throw new Error(`worker ${index} has failed`);
  return JSON.parse(output) as SimulationSummary;
}
