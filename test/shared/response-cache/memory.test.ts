/** Stored responses take no more of Redis's memory than they may, whatever is written, and nothing else is removed for them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parseRedisAddress } from '../../../shared/redis/address.ts';
import { connectRedis, type RedisClient, whenReady } from '../../../shared/redis/connect.ts';
import {
  cachePartitions,
  keysOfPartition,
  placeOf,
  responsePrefix,
} from '../../../shared/response-cache/cache-keys.ts';
import { ResponseStore } from '../../../shared/response-cache/response-store.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { redisPatienceMs } from '../../harness/redis/patience.ts';
import { startRedisTopology } from '../../harness/redis/start-topology.ts';
import type { RedisTopology } from '../../harness/redis/topology.ts';

const mebibyte = 1024 * 1024;
const minuteMs = 60_000;

let topology: RedisTopology;
let redis: RedisClient;
let store: ResponseStore;
beforeAll(async () => {
  topology = await startRedisTopology('standalone', { directory: join(tmpdir(), `cache-${crypto.randomUUID()}`) });
  redis = connectRedis(parseRedisAddress(topology.url), () => {}, redisPatienceMs);
  await whenReady(redis, redisPatienceMs);
  store = new ResponseStore(redis);
});
afterAll(async () => {
  redis.disconnect();
  await topology.stop();
});

const digestOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest();

async function usedMemory(): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.call('INFO', 'memory').then(String))?.[1]);
}

/** What is recorded of a partition, and what is there. */
async function readPartition(partition: number) {
  const { ages, ends, sizes } = keysOfPartition(partition);
  const [byAge, byEnd, recorded] = await Promise.all([
    redis.zrange(ages, '0', '-1'),
    redis.zrange(ends, '0', '-1'),
    redis.hgetall(sizes),
  ]);
  const { '': sum = '0', ...each } = recorded;
  return { byAge, byEnd, sum: Number(sum), each };
}

describe('with a bound', () => {
  test('memory stays within it while several times as much is written (campaign)', async () => {
    await redis.flushall();
    await redis.set('{s1}:wallet:1', 'money');
    const maxBytes = 16 * mebibyte;
    const before = await usedMemory();
    for (let written = 0; written < inCampaign(3, 10) * maxBytes; ) {
      const sizes = [20, 300, 3_000, 30_000, 300_000];
      const writes = Array.from({ length: 50 }, (_, index) => randomBytes(sizes[index % sizes.length] ?? 0));
      for (const bytes of writes) written += bytes.length;
      await Promise.all(
        writes.map((bytes, index) => {
          const place = placeOf(index, digestOf(crypto.randomUUID()));
          return store.write({ ...place, bytes, lifetimeMs: minuteMs }, maxBytes);
        }),
      );
    }
    const used = (await usedMemory()) - before;
    expect(used).toBeLessThan(maxBytes);
    // The bound is for responses, not for a fraction of them.
    expect(used).toBeGreaterThan(maxBytes / 2);
    expect(await redis.get('{s1}:wallet:1')).toBe('money');
  });

  test('small responses too take no more than they count for', async () => {
    await redis.flushall();
    const before = await usedMemory();
    const maxBytes = 4 * mebibyte;
    for (let turn = 0; turn < 100; turn += 1) {
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          store.write(
            { ...placeOf(index, digestOf(`${turn} ${index}`)), bytes: randomBytes(40), lifetimeMs: minuteMs },
            maxBytes,
          ),
        ),
      );
    }
    expect((await usedMemory()) - before).toBeLessThan(maxBytes);
  });

  test('the oldest are removed, and what is recorded is what is there (campaign)', async () => {
    const write = fc.record({
      name: fc.nat({ max: 40 }),
      size: fc.nat({ max: 120_000 }),
      lifetimeMs: fc.constantFrom(1, minuteMs),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(write, { maxLength: 60 }),
        fc.integer({ min: 1, max: 6 }),
        async (writes, mebibytes) => {
          await redis.flushall();
          // All of one partition.
          const places = Array.from({ length: 41 }, (_, name) => ({
            ...placeOf(name, digestOf(String(name))),
            partition: 3,
          }));
          const maxBytes = mebibytes * mebibyte;
          const kept: { name: string; size: number }[] = [];
          for (const { name, size, lifetimeMs } of writes) {
            const place = places[name];
            if (place === undefined) continue;
            const isStored = await store.write({ ...place, bytes: Buffer.alloc(size), lifetimeMs }, maxBytes);
            const known = kept.findIndex((each) => each.name === place.name);
            // What is too large for the partition leaves what was stored before.
            if (isStored && known >= 0) kept.splice(known, 1);
            if (isStored) kept.push({ name: place.name, size });
            const { byAge, byEnd, sum, each } = await readPartition(3);
            expect(sum).toBeLessThanOrEqual(maxBytes / cachePartitions);
            expect(sum).toBe(Object.values(each).reduce((total, bytes) => total + Number(bytes), 0));
            expect(byAge.toSorted()).toEqual(Object.keys(each).toSorted());
            expect(byEnd.toSorted()).toEqual(Object.keys(each).toSorted());
            // Those that are left are the newest, in their order, except for those that have expired.
            const longLived = new Set(byAge);
            const expected = kept.filter((entry) => longLived.has(entry.name)).map((entry) => entry.name);
            expect(new Set(expected)).toEqual(longLived);
            if (isStored && lifetimeMs > 1) expect(await store.read(place)).not.toBeNull();
          }
        },
      ),
      { numRuns: inCampaign(8, 30, 22) },
    );
  });

  test('what is larger than a partition is not stored, and nothing is removed for it', async () => {
    await redis.flushall();
    const place = placeOf(1, digestOf('a'));
    const older = { ...placeOf(1, digestOf('b')), partition: place.partition };
    await store.write({ ...older, bytes: Buffer.alloc(9), lifetimeMs: minuteMs }, 16 * mebibyte);
    expect(
      await store.write({ ...place, bytes: Buffer.alloc(2 * mebibyte), lifetimeMs: minuteMs }, 16 * mebibyte),
    ).toBe(false);
    expect(await store.read(place)).toBeNull();
    expect(await store.read(older)).not.toBeNull();
  });
});

test('the responses of one organization can be removed, and no others', async () => {
  await redis.flushall();
  const names = Array.from({ length: 300 }, (_, index) => digestOf(String(index)));
  for (const accountId of [1, 11, 111]) {
    await Promise.all(
      names.map((digest) =>
        store.write({ ...placeOf(accountId, digest), bytes: Buffer.alloc(9), lifetimeMs: minuteMs }, 64 * mebibyte),
      ),
    );
  }
  expect(await store.removeOf(1)).toBe(300);
  expect(await store.removeOf(1)).toBe(0);
  const left = await Promise.all(names.map((digest) => store.read(placeOf(11, digest))));
  expect(left.every((bytes) => bytes !== null)).toBe(true);
  const keys = await Promise.all(
    Array.from({ length: cachePartitions }, (_, partition) => redis.keys(`${responsePrefix(partition)}1:*`)),
  );
  expect(keys.flat()).toEqual([]);
});

test('a cluster keeps each partition in one slot, and all of them are found', async () => {
  const directory = join(tmpdir(), `cache-${crypto.randomUUID()}`);
  const cluster = await startRedisTopology('cluster', { directory });
  const client = connectRedis(parseRedisAddress(cluster.url), () => {}, redisPatienceMs);
  try {
    await whenReady(client, redisPatienceMs);
    const inCluster = new ResponseStore(client);
    const places = Array.from({ length: 100 }, (_, index) => placeOf(7, digestOf(String(index))));
    const bytes = randomBytes(100);
    const writes = places.map((place) => inCluster.write({ ...place, bytes, lifetimeMs: minuteMs }, 64 * mebibyte));
    expect((await Promise.all(writes)).every((isStored) => isStored)).toBe(true);
    for (const place of places) expect(await inCluster.read(place)).toEqual(bytes);
    expect(await inCluster.removeOf(7)).toBe(100);
    for (const place of places) expect(await inCluster.read(place)).toBeNull();
  } finally {
    client.disconnect();
    await cluster.stop();
  }
});
