/** A Redis that may evict wallets: admin does not start on it, and is not ready once it has become one. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { type Harness, startHarness } from '../harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(() => harness.stop());

test('admin is not ready, and does not start, while Redis may evict', async () => {
  const admin = await harness.startAdmin();
  const readiness = async () => {
    const answer = await fetch(`${admin.url}/readyz`);
    return { status: answer.status, body: await answer.text() };
  };
  expect((await readiness()).status).toBe(200);
  await harness.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  expect(await readiness()).toMatchObject({ status: 503, body: expect.stringContaining('redis settings') });
  await expect(harness.startAdmin()).rejects.toThrow('maxmemory-policy is allkeys-lru');
  await harness.redis.config('SET', 'maxmemory-policy', 'noeviction');
  await waitFor('admin to be ready again', guardTimeoutMs, async () => (await readiness()).status === 200);
});
