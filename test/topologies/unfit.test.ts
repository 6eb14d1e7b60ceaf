/**
 * A Redis that may evict wallets: admin does not start on it, and is not ready once it has become one. A Redis without
 * a memory limit serves, with a warning.
 */
import { afterAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { startPrograms } from '../harness/gateway.ts';
import type { Program } from '../harness/programs.ts';

const { harness, admin, proxy, stop } = await startPrograms();
afterAll(stop);

test('admin is not ready, and does not start, while Redis may evict', async () => {
  const readiness = async () => {
    const response = await fetch(`${admin.url}/readyz`);
    return { status: response.status, body: await response.text() };
  };
  expect((await readiness()).status).toBe(200);
  await harness.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  expect(await readiness()).toMatchObject({ status: 503, body: expect.stringContaining('redis settings') });
  await expect(harness.startAdmin()).rejects.toThrow('maxmemory-policy is allkeys-lru');
  await harness.redis.config('SET', 'maxmemory-policy', 'noeviction');
  await waitFor('admin to be ready again', guardTimeoutMs, async () => (await readiness()).status === 200);
});

test('both programs warn at start of a Redis without maxmemory, and of no other', async () => {
  const warns = async ({ logFile }: Program) => (await Bun.file(logFile).text()).includes('maxmemory is not set');
  const limit = String((await harness.redis.config('GET', 'maxmemory')).at(1));
  await harness.redis.config('SET', 'maxmemory', '0');
  const unlimited = await Promise.all([harness.startProxy(), harness.startAdmin()]);
  for (const program of unlimited) await waitFor('the warning', guardTimeoutMs, () => warns(program));
  await harness.redis.config('SET', 'maxmemory', limit);
  expect(await Promise.all([proxy, admin].map(warns))).toEqual([false, false]);
});
