/** The objects of batches: what is asked of the storage to find them. */
import { expect, spyOn, test } from 'bun:test';
import { Batches, type BatchRequest } from '../../../proxy/storage/batches.ts';
import { SealedObjects } from '../../../proxy/storage/sealed-objects.ts';
import { filesSecret, openTestStore, storeKinds } from '../../harness/storage/stores.ts';

const request: BatchRequest = {
  ...{ inputFileId: 'file-1', endpoint: '/v1/chat/completions', metadata: null },
  ...{ createdAt: 1_893_456_000, expiresAt: 1_893_542_400, outputLifeSeconds: 86_400 },
  key: { hash: 'hash', firstHash: 'hash', shard: 3, address: null },
};

test.each(storeKinds)('batches of a list in a %s are read without listing again', async (kind) => {
  const { store, remove } = await openTestStore(kind);
  try {
    const batches = new Batches(new SealedObjects(store, () => [filesSecret]));
    const created = [await batches.create(7, request), await batches.create(7, request)];
    await batches.create(8, request);
    const lists = spyOn(store, 'list');
    const listed = await batches.list(7);
    expect(await Promise.all(listed.map((named) => batches.read(named)))).toEqual(created);
    expect(lists).toHaveBeenCalledTimes(1);
    expect(await batches.find({ accountId: 7, id: created[0]?.id ?? '' })).toEqual(created[0]);
    expect(await batches.find({ accountId: 8, id: created[0]?.id ?? '' })).toBeUndefined();
  } finally {
    await remove();
  }
});
