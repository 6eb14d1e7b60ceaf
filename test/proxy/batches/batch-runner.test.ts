/** A proxy that does not run a batch that it has taken gives it back at once: the next one need not wait for its lease to end. */
import { afterAll, afterEach, expect, test } from 'bun:test';
import { type RunningBatches, startBatches } from '../../../proxy/batches/batch-runner.ts';
import { BatchMetrics } from '../../../proxy/request/metrics/batch-metrics.ts';
import type { ProxyServices } from '../../../proxy/request/services.ts';
import type { ListedBatch, StoredBatch } from '../../../proxy/storage/batches.ts';
import { BatchLease, leaseMs } from '../../../proxy/storage/lease/batch-lease.ts';
import type { Storage } from '../../../proxy/storage/storage.ts';
import { createLog } from '../../../shared/log.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { startHarness } from '../../harness.ts';

const harness = await startHarness();
const { redis } = harness;
const started: RunningBatches[] = [];

afterEach(async () => {
  for (const batches of started.splice(0)) {
    batches.release();
    await batches.ended();
  }
});
afterAll(() => harness.stop());

/** Of one batch, which is looked for as a test says. */
async function startRunner(find: (batch: ListedBatch) => Promise<StoredBatch | undefined>) {
  const batch = { id: `batch_${Bun.randomUUIDv7().replaceAll('-', '')}`, accountId: 1 };
  await new BatchLease(redis, batch.id).offer();
  const finished: string[] = [];
  const storage = {
    batches: {
      listUnfinished: async () => (finished.includes(batch.id) ? [] : [batch]),
      find: () => find(batch),
      finish: async ({ id }: ListedBatch) => void finished.push(id),
      listSentOfEnded: async () => [],
    },
  } as unknown as Storage;
  const services = {
    redis,
    log: createLog({ program: 'test', level: 'silent' }),
    batchMetrics: new BatchMetrics(),
    settlement: { running: { size: 0 } },
    catalogue: { current: () => undefined },
  } as unknown as ProxyServices;
  const batches = startBatches(services, storage, 1);
  started.push(batches);
  return { batch, batches, finished };
}

const isFree = async ({ id }: ListedBatch) => (await new BatchLease(redis, id).take()) === 0;

test('a batch that is taken during a shutdown is free once the proxy has ended', async () => {
  const isAsked = Promise.withResolvers<void>();
  const found = Promise.withResolvers<StoredBatch | undefined>();
  const { batch, batches } = await startRunner(() => {
    isAsked.resolve();
    return found.promise;
  });
  await isAsked.promise;
  batches.release();
  const ended = batches.ended();
  found.resolve({ ...batch, endpoint: '/v1/embeddings', key: { shard: 0, address: null } } as StoredBatch);
  await ended;
  expect(await isFree(batch)).toBe(true);
});

test('a batch that cannot be read is free for other proxies', async () => {
  const isAsked = Promise.withResolvers<void>();
  const { batch } = await startRunner(() => {
    isAsked.resolve();
    return Promise.reject(new Error('the storage is away'));
  });
  await isAsked.promise;
  await waitFor('the batch to be given back', leaseMs / 2, () => isFree(batch));
});

test('a batch that is gone leaves the queue, and its lease is given back', async () => {
  const { batch, finished } = await startRunner(async () => undefined);
  await waitFor('the queue to be empty', guardTimeoutMs, async () => finished.includes(batch.id));
  await waitFor('the batch to be given back', leaseMs / 2, () => isFree(batch));
});
