/** A test run that is ended in any way leaves no program and no file behind. */
import { expect, test } from 'bun:test';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../../local/processes/identity.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { inCampaign } from '../harness/campaigns.ts';

const startMs = 90_000;
const root = join(import.meta.dir, '../..');

async function foldersOfRunsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('gateway-run-'));
}

/** The processes that a run has recorded. */
async function recordedIn(folder: string): Promise<number[]> {
  const [run] = await foldersOfRunsIn(folder);
  const names = run === undefined ? [] : await readdir(join(folder, run));
  return names.filter((name) => name.endsWith('.json')).map((name) => Number(name.replace('.json', '')));
}

test.each(inCampaign<NodeJS.Signals[]>(['SIGKILL'], ['SIGTERM', 'SIGINT', 'SIGKILL'], ['SIGTERM', 'SIGINT']))(
  'no process of a test run survives %s (campaign)',
  async (signal) => {
    const folder = await mkdtemp(join(tmpdir(), 'gateway-runner-'));
    const file = join(folder, 'endless');
    const run = Bun.spawn([process.execPath, 'test/run.ts', './test/runner/endless.fixture.ts'], {
      cwd: root,
      env: {
        ...process.env,
        TMPDIR: folder,
        ENDLESS_FILE: file,
        TEST_POSTGRES_URL: undefined,
        CHILD_RECORDS: undefined,
        CAMPAIGNS: undefined,
      },
      stdout: 'ignore',
      stderr: 'ignore',
      detached: true,
    });
    await waitFor('the run to be under way', startMs, () => Bun.file(file).exists());
    const pids = [run.pid, ...(await recordedIn(folder))];
    const [, , proxyUrl] = (await readFile(file, 'utf8')).split('\n');
    // Postgres, Redis, the proxy, and the runner itself.
    expect(pids.length).toBeGreaterThan(4);
    expect((await fetch(`${proxyUrl}/healthz`)).status).toBe(200);
    run.kill(signal);
    await run.exited;
    await waitFor('every program to be gone', guardTimeoutMs, async () => !pids.some(isRunning));
    await waitFor('its files to be gone', guardTimeoutMs, async () => (await foldersOfRunsIn(folder)).length === 0);
    await rm(folder, { recursive: true, force: true });
  },
  2 * startMs,
);
