/** A message that is published arrives, on every kind of Redis, also after a master was replaced. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseRedisAddress } from '../../shared/redis/address.ts';
import { connectRedis, type RedisClient, subscribe, whenReady } from '../../shared/redis/connect.ts';
import { waitFor } from '../harness/account-view.ts';
import { startBeside } from '../harness/redis/start-beside.ts';
import { startRedisTopology } from '../harness/redis/start-topology.ts';
import { type RedisTopology, topologyKinds } from '../harness/redis/topology.ts';

const channel = 'gateway:test';
const arrivalTimeoutMs = 120_000;

const places = startBeside(topologyKinds, async (kind) => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-topology-'));
  return { directory, topology: await startRedisTopology(kind, { directory }) };
});

describe.each(places)('on a Redis topology of kind %s', (_kind, place) => {
  let directory: string;
  let topology: RedisTopology;
  let redis: RedisClient;
  let unsubscribe: () => void;
  const messages: string[] = [];
  beforeAll(async () => {
    ({ directory, topology } = await place);
    redis = connectRedis(parseRedisAddress(topology.url), () => {});
    await whenReady(redis, 5_000);
    unsubscribe = subscribe(redis, channel, (message) => messages.push(message));
  });
  afterAll(async () => {
    unsubscribe();
    redis.disconnect();
    await topology.stop();
    await rm(directory, { recursive: true, force: true });
  });

  /** One that is published while there is no connection is missed. */
  const untilItArrives = (message: string) =>
    waitFor('the message', arrivalTimeoutMs, async () => {
      await redis.publish(channel, message).catch(() => 0);
      return messages.includes(message);
    });

  test('a message arrives, and none of another channel', async () => {
    await redis.publish('gateway:other', 'other');
    await untilItArrives('first');
    expect(messages).not.toContain('other');
  });

  test('a message arrives after the master has changed', async () => {
    await topology.failover('key');
    await untilItArrives('second');
  });
});
