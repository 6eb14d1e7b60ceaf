/** The health that proxies publish, written and read through a real Redis. */
import { afterAll, expect, test } from 'bun:test';
import {
  type DeploymentHealth,
  readHealth,
  removeHealth,
  writeHealth,
} from '../../../shared/health/deployment-health.ts';
import { startHarness } from '../../harness.ts';

const { redis, stop } = await startHarness();

afterAll(stop);

const nowMs = 1_790_000_000_000;
const deployments: DeploymentHealth[] = [
  {
    deployment: 'provider/model',
    state: 'open',
    requests: 12,
    failures: 9,
    meanLatencyMs: null,
    lastFailure: { reason: 'unreachable', atMs: nowMs },
    readyAtMs: nowMs + 4_000,
  },
];

test('every replica is read as it was written, and old or unknown entries are deleted', async () => {
  await writeHealth(redis, { replica: 'b:8080', writtenAtMs: nowMs, deployments });
  await writeHealth(redis, { replica: 'a:8080', writtenAtMs: nowMs - 30_000, deployments: [] });
  await writeHealth(redis, { replica: 'gone:8080', writtenAtMs: nowMs - 30_001, deployments });
  await redis.hset('health', 'strange:8080', '{"deployments":1}', 'broken:8080', 'nonsense');
  expect(await readHealth(redis, nowMs)).toEqual([
    { replica: 'a:8080', writtenAtMs: nowMs - 30_000, deployments: [] },
    { replica: 'b:8080', writtenAtMs: nowMs, deployments },
  ]);
  expect((await redis.hkeys('health')).sort()).toEqual(['a:8080', 'b:8080']);
});

test('a proxy that shuts down removes its entry', async () => {
  await removeHealth(redis, 'a:8080');
  expect(await redis.hkeys('health')).toEqual(['b:8080']);
});
