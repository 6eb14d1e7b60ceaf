/** A client reconnects after everything except its own `disconnect`, and waits for commands that block as long as they do. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { parseRedisAddress } from '../../../shared/redis/address.ts';
import { connectBlocking, connectRedis, whenReady } from '../../../shared/redis/connect.ts';
import { startRedisTopology } from '../../harness/redis/start-topology.ts';
import type { RedisTopology } from '../../harness/redis/topology.ts';

const readyTimeoutMs = 120_000;
const blockMs = 300;
let directory: string;
let topology: RedisTopology;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  topology = await startRedisTopology('sentinel', { directory });
});
afterAll(async () => {
  await topology.stop();
  await rm(directory, { recursive: true, force: true });
});

const ignore = () => {};
const open = () => connectRedis(parseRedisAddress(topology.url), ignore) as Redis;

/** What ioredis does when a Sentinel reports a new master on a connection that was opened for the previous one. */
async function reportNewMasterWhileConnecting(client: Redis): Promise<void> {
  const ended = Promise.withResolvers<void>();
  client.once('end', ended.resolve);
  client.once('connecting', () => Object(Reflect.get(client, 'connector')).disconnect());
  client.disconnect(true);
  await ended.promise;
}

test.each([
  ['commands', open],
  ['commands that block', () => connectBlocking(open(), 1_000)],
])('a client for %s reconnects after a late report of a new master has ended its connection', async (_, start) => {
  const client = start();
  client.on('error', ignore);
  await whenReady(client, readyTimeoutMs);
  await reportNewMasterWhileConnecting(client);
  await whenReady(client, readyTimeoutMs);
  expect(await client.ping()).toBe('PONG');
  client.disconnect();
});

test.each([undefined, 60_000])(
  'a read that blocks ends by itself where commands have a limit of %p ms',
  async (limitMs) => {
    const master = await topology.masterOf('key');
    const client = master.duplicate(limitMs === undefined ? {} : { commandTimeout: limitMs });
    const blocking = connectBlocking(client, blockMs);
    expect(await blocking.xread('BLOCK', blockMs, 'STREAMS', 'none', '0-0')).toBeNull();
    blocking.disconnect();
    client.disconnect();
  },
);

test('a client that was disconnected on purpose does not reconnect', async () => {
  const client = open();
  await whenReady(client, readyTimeoutMs);
  const ended = Promise.withResolvers<void>();
  client.once('end', ended.resolve);
  client.disconnect();
  await ended.promise;
  await Bun.sleep(1_500);
  expect(client.status).toBe('end');
});
