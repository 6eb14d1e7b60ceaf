/** Embedded Redis on the real redis-server. */
import { expect, test } from 'bun:test';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RedisClient } from 'bun';
import { identityOf, isRunning } from '../../../local/processes/identity.ts';
import { startRedis } from '../../../local/servers/redis.ts';
import { temporaryDirectories } from '../temporary-directory.ts';

const newDirectory = temporaryDirectories();

async function send(url: string, command: string, ...args: string[]): Promise<unknown> {
  const client = new RedisClient(url, { autoReconnect: false });
  try {
    return await client.send(command, args);
  } finally {
    client.close();
  }
}

test('append-only data and the password survive a restart', async () => {
  const options = { dataDir: newDirectory(), appendOnly: true, password: true };
  const first = await startRedis(options);
  await send(first.url, 'SET', 'kept', 'yes');
  await first.stop();
  expect(isRunning(first.pid)).toBe(false);
  const second = await startRedis({ ...options, port: first.port });
  expect(second.url).toBe(first.url);
  expect(await send(second.url, 'GET', 'kept')).toBe('yes');
  await second.stop();
});

test('the embedded Redis never evicts, listens only on loopback, and requires the password', async () => {
  const dataDir = newDirectory();
  const server = await startRedis({ dataDir, password: true });
  expect(await send(server.url, 'CONFIG', 'GET', 'maxmemory-policy')).toEqual({ 'maxmemory-policy': 'noeviction' });
  expect(Object(await send(server.url, 'CONFIG', 'GET', 'maxmemory')).maxmemory).toMatch(/^[1-9]\d+$/);
  expect(await send(server.url, 'CONFIG', 'GET', 'bind')).toEqual({ bind: '127.0.0.1' });
  await expect(send(`redis://127.0.0.1:${server.port}`, 'GET', 'x')).rejects.toThrow('NOAUTH');
  expect(statSync(join(dataDir, 'redis.conf')).mode & 0o777).toBe(0o600);
  await server.stop();
});

test('extra arguments reach redis-server', async () => {
  const server = await startRedis({ dataDir: newDirectory(), extraArguments: ['--maxclients', '77'] });
  expect(await send(server.url, 'CONFIG', 'GET', 'maxclients')).toEqual({ maxclients: '77' });
  await server.stop();
});

test('a Redis that a killed parent left behind is stopped before the next one starts', async () => {
  const dataDir = newDirectory();
  const parent = Bun.spawn([process.execPath, join(import.meta.dir, '..', 'fakes', 'start-redis.ts'), dataDir], {
    stdout: 'pipe',
  });
  const stalePid = Number(new TextDecoder().decode((await parent.stdout.getReader().read()).value));
  parent.kill('SIGKILL');
  await parent.exited;
  expect(isRunning(stalePid)).toBe(true);
  const server = await startRedis({ dataDir, appendOnly: true });
  expect(isRunning(stalePid)).toBe(false);
  expect(isRunning(server.pid)).toBe(true);
  await server.stop();
});

test('a record whose pid was reused stops no process', async () => {
  const dataDir = newDirectory();
  const stranger = Bun.spawn(['sleep', '60']);
  const record = {
    name: 'redis',
    pid: stranger.pid,
    identity: `${identityOf(stranger.pid)}0`,
    signal: 'SIGTERM',
    graceMs: 9,
  };
  writeFileSync(join(dataDir, 'process.json'), JSON.stringify([record]));
  const server = await startRedis({ dataDir });
  expect(isRunning(stranger.pid)).toBe(true);
  await server.stop();
  stranger.kill();
});

test('a failed start reports Redis’ own message', async () => {
  const failing = startRedis({ dataDir: newDirectory(), extraArguments: ['--no-such-option', 'x'] });
  await expect(failing).rejects.toThrow('Bad directive');
});
