/** The supervisor with small programs as parts: whatever ends, no process is left behind. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { startChild } from '../../../local/processes/child.ts';
import { isRunning } from '../../../local/processes/identity.ts';
import { waitUntil } from '../../../local/processes/poll.ts';
import { endRecorded, recordOf, writeRecords } from '../../../local/processes/record.ts';
import { type Part, Supervisor } from '../../../local/processes/supervise.ts';
import { temporaryDirectories } from '../temporary-directory.ts';

const newDirectory = temporaryDirectories();
const stop = { signal: 'SIGTERM', graceMs: 5_000 } as const;

function startPart(directory: string, name: string, script: string) {
  return startChild({
    name,
    command: ['/bin/sh', '-c', script],
    directory,
    environment: { PATH: '/usr/bin:/bin' },
    logFile: join(directory, `${name}.log`),
  });
}

async function startSupervised() {
  const directory = newDirectory();
  const supervised = Bun.spawn([process.execPath, join(import.meta.dir, '..', 'fakes', 'supervised.ts'), directory], {
    stdout: 'pipe',
  });
  const reader = supervised.stdout.getReader();
  const readLine = async () => JSON.parse(new TextDecoder().decode((await reader.read()).value));
  const pids: number[] = await readLine();
  return { directory, supervised, pids, readLine };
}

function allGone(pids: number[]): Promise<boolean> {
  return waitUntil(() => !pids.some(isRunning), { timeoutMs: 5_000 });
}

test('a part that dies is named with its last lines, and all others are stopped', async () => {
  const directory = newDirectory();
  const supervisor = new Supervisor(join(directory, 'processes.json'));
  const healthy = startPart(directory, 'healthy', 'exec sleep 60');
  supervisor.add({ child: healthy, layer: 'servers', stop });
  supervisor.add({ child: startPart(directory, 'sick', 'echo out of luck; exit 3'), layer: 'programs', stop });
  expect(await supervisor.ending).toEqual({
    kind: 'died',
    name: 'sick',
    how: 'exit code 3',
    lastLines: 'out of luck',
  });
  expect(supervisor.signal.aborted).toBe(true);
  await supervisor.stop();
  expect(isRunning(healthy.pid)).toBe(false);
});

test('servers are stopped after the programs that use them', async () => {
  const directory = newDirectory();
  const supervisor = new Supervisor(join(directory, 'processes.json'));
  const order: string[] = [];
  for (const layer of ['servers', 'providers', 'programs'] satisfies Part['layer'][]) {
    const child = startPart(directory, layer, 'exec sleep 60');
    child.exited.then(() => order.push(layer));
    supervisor.add({ child, layer, stop });
  }
  supervisor.requestStop('test');
  expect(await supervisor.ending).toEqual({ kind: 'requested', by: 'test' });
  await supervisor.stop();
  expect(order).toEqual(['programs', 'providers', 'servers']);
});

test('a part that ignores SIGTERM is killed after its grace period', async () => {
  const directory = newDirectory();
  const supervisor = new Supervisor(join(directory, 'processes.json'));
  const deaf = startPart(directory, 'deaf', "trap '' TERM; echo deaf; while true; do sleep 0.05; done");
  supervisor.add({ child: deaf, layer: 'programs', stop: { signal: 'SIGTERM', graceMs: 200 } });
  expect(await waitUntil(() => deaf.lastLines() === 'deaf', { timeoutMs: 5_000 })).toBe(true);
  await supervisor.stop();
  expect(await deaf.exited).toBe('signal SIGKILL');
});

test('a killed supervisor leaves no process behind', async () => {
  const { supervised, pids } = await startSupervised();
  expect(pids.every(isRunning)).toBe(true);
  supervised.kill('SIGKILL');
  expect(await allGone(pids)).toBe(true);
});

test('Ctrl-C stops everything in order', async () => {
  const { supervised, pids, readLine } = await startSupervised();
  supervised.kill('SIGINT');
  expect(await readLine()).toEqual({ kind: 'requested', by: 'SIGINT' });
  expect(await supervised.exited).toBe(0);
  expect(await allGone(pids)).toBe(true);
});

test('the next start stops the listed processes, and none whose pid was reused', async () => {
  const directory = newDirectory();
  const list = join(directory, 'processes.json');
  const left = startPart(directory, 'left', 'exec sleep 60');
  const stranger = startPart(directory, 'stranger', 'exec sleep 60');
  const record = recordOf({ name: 'left', pid: left.pid, ...stop });
  if (record === undefined) throw new Error('The part that was just started does not run.');
  writeRecords(list, [record, { ...record, name: 'stranger', pid: stranger.pid, identity: 'another time' }]);
  expect(await endRecorded(list)).toEqual(['left']);
  expect(isRunning(left.pid)).toBe(false);
  expect(isRunning(stranger.pid)).toBe(true);
  await stranger.stop(stop);
});
