/**
 * `bun run fuzz [--requests 10000] [--seed S] [--only NUMBER]`: sends malformed requests to both programs, generated
 * from their OpenAPI documents, and looks for wrong responses. Exit code 1 on any finding.
 */
import { parseArgs } from 'node:util';
import { renderReport } from './report.ts';
import { runFuzz } from './run.ts';

const slowMs = 1_000;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
  },
});
const [requests, seed] = [Number(values.requests), Number(values.seed)];
const only = values.only === undefined ? undefined : Number(values.only);
if (![requests, seed, only ?? 1].every((number) => Number.isSafeInteger(number) && number > 0)) {
  console.error('bun run fuzz [--requests 10000] [--seed 1] [--only 5]: whole numbers above 0');
  process.exit(2);
}

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
const startedAtMs = Date.now();
console.log(`${only === undefined ? `${requests} requests` : `request ${only}`} of seed ${seed}`);
const outcome = await runFuzz({
  requests,
  seed,
  only,
  slowMs,
  signal: interrupted.signal,
  onProgress: (sent, { findings }) => process.stderr.write(`\r${sent} sent, ${findings.length} findings `),
});
console.log(`\n${renderReport(outcome)} in ${Math.round((Date.now() - startedAtMs) / 1_000)} s`);
process.exit(outcome.findings.length === 0 ? 0 : 1);
