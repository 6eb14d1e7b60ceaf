/**
 * `npm test`: starts one Postgres for all test files, runs `bun test` with the given arguments, and prints the closing
 * line `N passed, N failed` that CI reads. However it ends, no program of the run is left behind: see `guardian.ts`.
 */
import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale } from '../dashboard/build.ts';
import { recordChildrenIn } from '../local/processes/child.ts';
import { writeRecordInto } from '../local/processes/record.ts';
import { campaignFiles, campaignFilter, inCampaign } from './harness/campaigns.ts';
import { startTestPostgres } from './harness/postgres.ts';

/** Ends only what hangs: tests start real programs and servers, which has taken ten times as long on a busy machine. */
const testTimeoutMs = 900_000;
/** While a file waits for a program or a page, another one runs. */
const workersPerCore = 2;

const inMemory = '/dev/shm';
/** Six times as much as a run was seen to take. */
const neededBytes = 4 * 2 ** 30;

// Without it, the tests of the dashboard fail and say so; the others do not need it.
await buildIfStale().catch((error: unknown) => console.error('The dashboard could not be built.', error));
const folder = await mkdtemp(join(await fastestFolder(), 'gateway-run-'));
// Whatever a test keeps for a while is in it, and is removed with it.
process.env.TMPDIR = folder;
process.env.TEST_RECORDS = folder;
// Two hundred processes load the same modules, and the first transpiles them.
process.env.BUN_RUNTIME_TRANSPILER_CACHE_PATH = join(folder, 'transpiled');
// None of them lives long enough for the last tier of the compiler. The campaigns, whose programs live longer, have the compiler as
// it is in production.
if (inCampaign(true, false)) process.env.BUN_JSC_useFTLJIT = '0';
// Memory that is given back has to be mapped again: without it, a sixth less CPU where a page fault is expensive.
process.env.MIMALLOC_PURGE_DELAY = '-1';
recordChildrenIn(folder);
const guardian = Bun.spawn([process.execPath, join(import.meta.dir, 'guardian.ts'), folder], {
  stdin: 'pipe',
  stdout: 'ignore',
  stderr: 'inherit',
  detached: true,
});
const postgres = await startTestPostgres();
// The slowest files start first: `npm test -- --update-timings` writes how long each takes. The files of a worker share the
// modules, whose evaluation takes longer than most files' tests, and what `harness/of-worker.ts` keeps.
const workers = Math.ceil(navigator.hardwareConcurrency * workersPerCore);
const options = [
  `--parallel=${workers}`,
  '--no-isolate',
  '--timings',
  join(import.meta.dir, inCampaign('timings.json', 'timings-of-campaigns.json')),
  '--timeout',
  String(testTimeoutMs),
];
const runner = ['test', ...options, ...campaignFilter];
const wanted = process.argv.slice(2);
const isOfCampaigns = (argument: string) => argument === '--campaigns';
if (wanted.some(isOfCampaigns)) runner.push(...(await campaignFiles()));
const child = Bun.spawn([process.execPath, ...runner, ...wanted.filter((argument) => !isOfCampaigns(argument))], {
  env: {
    ...process.env,
    TEST_POSTGRES_URL: postgres.url,
    FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
  },
  stdout: 'pipe',
  stderr: 'pipe',
  // What tests start without a session of its own belongs to this group.
  detached: true,
});
writeRecordInto(folder, { name: 'bun test', pid: child.pid, signal: 'SIGTERM', graceMs: 2_000 });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));

const counts = { pass: 0, fail: 0 };
await Promise.all([show(child.stdout, process.stdout), show(child.stderr, process.stderr)]);
const exitCode = await child.exited;
await postgres.stop();
guardian.stdin.end();
await guardian.exited;
if (exitCode !== 0 && counts.fail === 0) counts.fail = 1;
console.log(`${counts.pass} passed, ${counts.fail} failed`);
process.exit(exitCode);

/** In memory where it has room: a database is a thousand files, and each test file makes one. TMPDIR wins where it is set. */
async function fastestFolder(): Promise<string> {
  if (process.env.TMPDIR !== undefined) return tmpdir();
  const { bavail, bsize } = await statfs(inMemory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize < neededBytes ? tmpdir() : inMemory;
}

/** Forwards the output, and reads the runner's own counts from it: ` 12 pass` and ` 0 fail`. */
async function show(from: ReadableStream<Uint8Array>, to: NodeJS.WriteStream): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of from) {
    to.write(chunk);
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, count, kind] = /^\s*(\d+) (pass|fail)\s*$/.exec(Bun.stripANSI(line)) ?? [];
      if (kind === 'pass' || kind === 'fail') counts[kind] = Number(count);
    }
  }
}
