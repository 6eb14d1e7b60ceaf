/** Batches that stand still: their storage fails, or no proxy may run one. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI from 'openai';
import { SealedObjects } from '../../../../proxy/storage/sealed-objects.ts';
import { FolderStore } from '../../../../shared/objects/folder-store.ts';
import { waitFor } from '../../../harness/account-view.ts';
import { wholeResponse } from '../../../harness/providers/scripted-provider.ts';
import { createBatch, linesOf } from '../../../harness/storage/run-batch.ts';
import { filesSecret } from '../../../harness/storage/stores.ts';
import { filesFolder, type Product } from '../product/product.ts';
import type { Fault } from './fault.ts';
import { behaveWell } from './provider-faults.ts';

const waitMs = 120_000;
/** Each is tried again every 15 seconds. */
const batchesAtOnce = 12;

export const batchFaults: readonly Fault[] = [
  {
    name: 'results of batches cannot be written',
    fires: ['BatchesFailing'],
    begin: async (product) => {
      const results = join(filesFolder(product.directory), 'results');
      product.provider.on(
        'upstream-chat',
        wholeResponse({ usage: { promptTokens: 10, completionTokens: 5 }, delayMs: 500 }),
      );
      const batches = Array.from({ length: batchesAtOnce }, () => beginBatch(product));
      await Promise.all(batches);
      await rename(results, `${results}-away`);
      await writeFile(results, '');
      return async () => {
        await rm(results);
        await rename(`${results}-away`, results);
        behaveWell(product.provider);
      };
    },
  },
  {
    name: 'a batch of yesterday belongs to a proxy that does nothing with it',
    fires: ['BatchesLate'],
    begin: async ({ directory, redis, customers: [customer] }) => {
      const objects = new SealedObjects(new FolderStore(filesFolder(directory)), () => [filesSecret]);
      const created = (Date.now() - 20 * 3_600_000).toString(16).padStart(12, '0');
      const id = `batch_${created}${'0'.repeat(20)}`;
      const queued = `queue/${customer?.accountId},${id}`;
      const identity = /run_id:(\w+)/.exec(await redis.info('server'))?.[1] ?? '';
      await redis.hset(`batch:${id}`, { owner: 'another', from: 0, ends: Date.now() + 24 * 3_600_000, identity });
      await objects.writeText(queued, '{}');
      return async () => {
        await objects.remove(queued);
        await redis.del(`batch:${id}`);
      };
    },
  },
];

/** Resolves once its first lines have been answered. */
async function beginBatch({ proxies: [proxy], openAccount }: Product): Promise<void> {
  const { proxyKey } = await openAccount();
  const client = new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey: proxyKey, maxRetries: 0 });
  await waitFor('the wallet', waitMs, () => client.files.list().catch(() => undefined));
  const lines = linesOf(2_000, () => ({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello!' }] }));
  const { id } = await createBatch(client, lines);
  await waitFor('lines of a batch', waitMs, async () => {
    const { request_counts: counts } = await client.batches.retrieve(id);
    return (counts?.completed ?? 0) > 0;
  });
}
