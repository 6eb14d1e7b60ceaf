/** A batch is run by one proxy at a time, on a real Redis, also after that has lost what it knew. */
import { afterAll, expect, test } from 'bun:test';
import { BatchLease, leaseMs } from '../../../proxy/storage/lease/batch-lease.ts';
import { startHarness } from '../../harness.ts';

const harness = await startHarness();
const { redis } = harness;
const newBatch = () => `batch_${crypto.randomUUID()}`;
const leaseOf = (id: string) => new BatchLease(redis, id);

afterAll(() => harness.stop());

test('a new batch is taken at once, by one proxy, which keeps it', async () => {
  const id = newBatch();
  await leaseOf(id).offer();
  const [one, other] = [leaseOf(id), leaseOf(id)];
  expect(await one.take()).toBe(0);
  expect(one.isValid).toBe(true);
  expect(await other.take()).toBeUndefined();
  expect(other.isValid).toBe(false);
  expect(await one.take()).toBe(0);
});

test('a batch that was given up is taken at once, and only its proxy can give it up', async () => {
  const id = newBatch();
  await leaseOf(id).offer();
  const [one, other] = [leaseOf(id), leaseOf(id)];
  await one.take();
  await other.free();
  expect(await other.take()).toBeUndefined();
  await one.free();
  expect(one.isValid).toBe(false);
  expect(await other.take()).toBe(0);
});

test('a batch whose proxy no longer renews it is taken once its time has passed', async () => {
  const id = newBatch();
  await leaseOf(id).offer();
  const [one, other] = [leaseOf(id), leaseOf(id)];
  await one.take();
  await redis.hset(`batch:${id}`, 'ends', Date.now() - 1);
  expect(await other.take()).toBe(0);
  expect(await one.take()).toBeUndefined();
  expect(one.isValid).toBe(false);
});

test('a proxy that cannot renew it stops before another one can have it', async () => {
  const id = newBatch();
  let nowMs = 0;
  const lease = new BatchLease(redis, id, () => nowMs);
  await lease.offer();
  expect(await lease.take()).toBe(0);
  for (const [passedMs, isValid] of [
    [0, true],
    [leaseMs - 10_001, true],
    [leaseMs - 10_000, false],
    [leaseMs, false],
  ] as const) {
    nowMs = passedMs;
    expect([passedMs, lease.isValid]).toEqual([passedMs, isValid]);
  }
  expect(await lease.take()).toBe(0);
  expect(lease.isValid).toBe(true);
});

test('a Redis that does not know a batch gives it only after the time for which another may have it', async () => {
  const id = newBatch();
  const [one, other] = [leaseOf(id), leaseOf(id)];
  const waitMs = (await one.take()) ?? 0;
  expect(waitMs).toBe(leaseMs);
  expect(one.isValid).toBe(false);
  expect(await other.take()).toBeUndefined();
  await redis.hset(`batch:${id}`, 'from', Date.now());
  expect(await one.take()).toBe(0);
  expect(one.isValid).toBe(true);
});

test('the same holds for a Redis that was restarted, and may have lost who has the batch', async () => {
  const id = newBatch();
  await leaseOf(id).offer();
  const one = leaseOf(id);
  expect(await one.take()).toBe(0);
  await harness.restartRedis(async () => {});
  expect(await leaseOf(id).take()).toBe(leaseMs);
});
