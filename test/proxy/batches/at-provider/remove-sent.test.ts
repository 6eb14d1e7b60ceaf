/** What a provider keeps of batches that have ended is removed there, also if that takes several looks. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { batchApiOf } from '../../../../proxy/batches/at-provider/find-batch-api.ts';
import { removeSentOfEnded } from '../../../../proxy/batches/at-provider/remove-sent.ts';
import { Batches, type StoredBatch } from '../../../../proxy/storage/batches.ts';
import { SealedObjects } from '../../../../proxy/storage/sealed-objects.ts';
import { batchDeployment, batchServicesOf } from '../../../harness/providers/batch-deployment.ts';
import {
  type BatchForm,
  type BatchProvider,
  batchForms,
  startBatchProvider,
} from '../../../harness/providers/batch-provider.ts';
import { filesSecret, openTestStore, type TestStore } from '../../../harness/storage/stores.ts';

let place: TestStore;
let provider: BatchProvider;
let batches: Batches;

beforeEach(async () => {
  place = await openTestStore('folder');
  batches = new Batches(new SealedObjects(place.store, () => [filesSecret]));
});
afterEach(async () => {
  await provider.stop();
  await place.remove();
});

/** A batch of one line that a provider runs. */
async function send(form: BatchForm) {
  provider = startBatchProvider(form);
  provider.isDone = false;
  const deployment = batchDeployment(provider, form);
  const services = batchServicesOf(deployment);
  const body = '{"messages":[{"role":"user","content":"Line 1"}]}';
  const line = { number: 1, url: `${provider.baseUrl}/chat/completions`, body };
  const batch = await batches.create(1, { createdAt: Math.floor(Date.now() / 1_000) } as StoredBatch);
  const providerBatchId = (await batchApiOf(services, deployment)?.create([line])) ?? '';
  await batches.writeSent(batch, { deployment: deployment.name, providerBatchId, lines: [1] });
  return { batch, look: () => removeSentOfEnded({ services, batches }) };
}

const statuses = () => provider.batches.map(({ status }) => status);

test.each(batchForms)('a batch in the form of %s that has not ended is cancelled, and removed later', async (form) => {
  const { batch, look } = await send(form);
  await batches.finish(batch);
  provider.isCancelDone = false;
  await look();
  expect([statuses(), provider.kept.size, (await batches.listSent(batch)).length]).toEqual([['cancelling'], 1, 1]);
  provider.isCancelDone = true;
  await look();
  expect([statuses(), provider.kept.size, await batches.listSent(batch)]).toEqual([['cancelled'], 0, []]);
});

test('a batch that is still run here is left alone', async () => {
  const { batch, look } = await send('openai');
  await look();
  expect([statuses(), (await batches.listSent(batch)).length]).toEqual([['running'], 1]);
});

test('what a provider fails to remove is removed later', async () => {
  const { batch, look } = await send('openai');
  await batches.finish(batch);
  [provider.isDone, provider.keepsAll] = [true, true];
  await look();
  expect(await batches.listSent(batch)).toHaveLength(1);
  provider.keepsAll = false;
  await look();
  expect([provider.kept.size, await batches.listSent(batch)]).toEqual([0, []]);
});

test('what its provider no longer knows is not looked for again', async () => {
  const { batch, look } = await send('openai');
  await batches.finish(batch);
  await batches.writeSent(batch, { deployment: 'scripted/upstream', providerBatchId: 'unknown', lines: [2] });
  provider.isDone = true;
  await look();
  expect(await batches.listSent(batch)).toEqual([]);
});

test('once a batch has been kept long enough, nothing is known of what was sent', async () => {
  const { batch } = await send('openai');
  await batches.finish(batch);
  await batches.sweep(Date.now() + 31 * 24 * 3_600_000);
  expect(await batches.listSent(batch)).toEqual([]);
});
