/** What every place for objects promises, on a real folder and through Bun's S3 client. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ObjectStore } from '../../../shared/objects/object-store.ts';
import { openTestStore, storeKinds, type TestStore } from '../../harness/storage/stores.ts';

/** Each chunk is overwritten once it was written, as a writer may do. */
async function put(store: ObjectStore, name: string, ...chunks: readonly Uint8Array[]): Promise<void> {
  const writer = await store.create(name);
  for (const chunk of chunks) {
    const lent = Buffer.from(chunk);
    await writer.write(lent);
    lent.fill(0xff);
  }
  await writer.commit();
}

async function get(store: ObjectStore, name: string): Promise<Buffer | undefined> {
  const chunks = await store.read(name);
  return chunks && Buffer.concat(await Array.fromAsync(chunks, (chunk) => Uint8Array.from(chunk)));
}

describe.each(storeKinds.map((kind) => [kind]))('%s', (kind) => {
  let place: TestStore;
  let store: ObjectStore;

  beforeAll(async () => {
    place = await openTestStore(kind);
    ({ store } = place);
  });
  afterAll(() => place.remove());

  test('an object is read as it was written, whatever the sizes of its chunks', async () => {
    for (const sizes of [[0], [1], [65_536, 1], [3, 5, 7], [6_000_000, 6_000_000, 12]]) {
      const chunks = sizes.map((size, index) => new Uint8Array(size).fill(index + 1));
      await put(store, 'whole/object', ...chunks);
      expect((await get(store, 'whole/object'))?.equals(Buffer.concat(chunks))).toBe(true);
    }
  });

  test('any part of an object is read, and nothing beyond its end', async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(40_000));
    await put(store, 'whole/parts', bytes);
    expect(await store.size('whole/parts')).toBe(bytes.length);
    for (const [start, end] of [
      [0, 1],
      [17, 39_999],
      [39_999, 40_000],
      [0, 40_000],
    ] as const) {
      expect(Buffer.from(await store.readRange('whole/parts', { start, end })).equals(bytes.slice(start, end))).toBe(
        true,
      );
    }
    await expect(store.readRange('whole/parts', { start: 39_000, end: 40_001 })).rejects.toThrow();
    await expect(store.readRange('whole/none', { start: 0, end: 1 })).rejects.toThrow();
    expect(await store.size('whole/none')).toBeUndefined();
  });

  test('an object that is not committed does not exist, and leaves nothing when it is aborted', async () => {
    const writer = await store.create('aborted/object');
    await writer.write(new Uint8Array(100));
    expect(await get(store, 'aborted/object')).toBeUndefined();
    await writer.abort();
    expect(await get(store, 'aborted/object')).toBeUndefined();
    expect([...(await place.bytesAtRest()).keys()].filter((name) => !name.startsWith('whole/'))).toEqual([]);
  });

  test('a large object that is aborted does not exist', async () => {
    const writer = await store.create('aborted/large');
    for (let megabytes = 0; megabytes < 12; megabytes += 1) await writer.write(new Uint8Array(1024 * 1024));
    await writer.abort();
    expect(await get(store, 'aborted/large')).toBeUndefined();
  });

  test('lists are sorted, of every page, and of a prefix that ends within a name', async () => {
    const names = ['list/b', 'list/a,1', 'list/a,2', 'list/c/d', 'list/a2', 'other/a', 'list/a,3', 'list/a,4'];
    for (const name of names) await put(store, name, new Uint8Array(1));
    expect(await store.list('list/')).toEqual(names.filter((name) => name.startsWith('list/')).sort());
    expect(await store.list('list/a,')).toEqual(['list/a,1', 'list/a,2', 'list/a,3', 'list/a,4']);
    expect(await store.list('nothing/')).toEqual([]);
  });

  test('a removed object is gone, and removing it again does nothing', async () => {
    await put(store, 'removed/one', new Uint8Array(1));
    await store.remove('removed/one');
    await store.remove('removed/one');
    expect(await get(store, 'removed/one')).toBeUndefined();
    expect(await store.list('removed/')).toEqual([]);
  });

  test('one of two objects of a folder can be written while the other is removed', async () => {
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        await put(store, `busy/${index % 2}/object-${index}`, new Uint8Array(1));
        await store.remove(`busy/${index % 2}/object-${index}`);
      }),
    );
    expect(await store.list('busy/')).toEqual([]);
  });

  test('no name leaves the place', async () => {
    for (const name of ['../x', '/x', 'a/../../x', 'a//b', '', '.hidden', 'a/.b', 'a\0b']) {
      expect(await Promise.resolve(store.create(name)).catch(String)).toContain('not the name');
    }
  });
});
