/** A demoted master that is still alive: no client may continue writing to it, or waiting for it. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseRedisAddress } from '../../shared/redis/address.ts';
import { connectRedis, type RedisClient, whenReady } from '../../shared/redis/connect.ts';
import { allShards } from '../../shared/wallet/shard.ts';
import { UsageStream } from '../../shared/wallet/usage-stream/usage-stream.ts';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { startRedisTopology } from '../harness/redis/start-topology.ts';
import type { RedisTopology } from '../harness/redis/topology.ts';

let directory: string;
let topology: RedisTopology;
let redis: RedisClient;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-topology-'));
  topology = await startRedisTopology('sentinel', { directory });
  redis = connectRedis(parseRedisAddress(topology.url), () => {});
  await whenReady(redis, 5_000);
});

afterAll(async () => {
  redis.disconnect();
  await topology.stop();
  await rm(directory, { recursive: true, force: true });
});

test('both connections leave a demoted master, and writes to the new one are read', async () => {
  const stream = new UsageStream(redis, () => {});
  const demoted = await topology.masterOf('');
  await stream.read(allShards, 10);
  const waiting = stream.read(allShards, 10).catch(() => []);
  await topology.failover('');
  await waiting;

  const usage = '{s1}:usage';
  await waitFor('a write', guardTimeoutMs, () =>
    redis.xadd(usage, '*', 'kind', 'test').then(
      () => true,
      () => false,
    ),
  );
  const promoted = await topology.masterOf('');
  expect(promoted).not.toBe(demoted);
  expect(await promoted.xlen(usage)).toBe(1);
  await waitFor(
    'the entry',
    guardTimeoutMs,
    async () => (await stream.read(allShards, 10).catch(() => [])).length === 1,
  );
  const left = String(await demoted.client('LIST'));
  expect(left).not.toContain('cmd=xread');
  expect(left).not.toContain('cmd=xadd');
  stream.close();
});
