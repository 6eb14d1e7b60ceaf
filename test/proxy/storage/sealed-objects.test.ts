/** Objects at rest: nothing of their content can be read, and nothing that was changed is read as if it were not. */
import { afterAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { SealedObjects, UnreadableObject } from '../../../proxy/storage/sealed-objects.ts';
import type { ObjectStore } from '../../../shared/objects/object-store.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { filesSecret, openTestStore } from '../../harness/storage/stores.ts';

const place = await openTestStore('folder');
const bucket = await openTestStore('s3');
const objects = new SealedObjects(place.store, () => [filesSecret]);
const inBucket = new SealedObjects(bucket.store, () => [filesSecret]);

afterAll(async () => {
  await place.remove();
  await bucket.remove();
});

const segmentBytes = 65_536;
const headerBytes = 28;
const contentOf = (size: number) => Buffer.from(Uint8Array.from({ length: size }, (_, index) => index % 251));

async function write(
  name: string,
  content: Uint8Array,
  chunkSizes: readonly number[] = [content.length],
  to = objects,
) {
  const writer = await to.create(name);
  let at = 0;
  for (let turn = 0; at < content.length; turn += 1) {
    const size = Math.max(1, chunkSizes[turn % chunkSizes.length] ?? 1);
    await writer.write(content.subarray(at, at + size));
    at += size;
  }
  await writer.commit();
}

async function read(name: string, from = objects): Promise<Buffer> {
  const content = await from.read(name);
  if (content === undefined) throw new Error('missing');
  return Buffer.concat(await Array.fromAsync(content));
}

const sealed = async (name: string) => Buffer.from((await place.bytesAtRest()).get(name) ?? []);

test('content of any size in chunks of any size is read as it was written', async () => {
  const sizes = fc.oneof(
    fc.integer({ min: 0, max: 4 * segmentBytes }),
    fc.constantFrom(0, 1, segmentBytes - 1, segmentBytes, segmentBytes + 1, 2 * segmentBytes, 2 * segmentBytes + 1),
  );
  const chunks = fc.array(fc.integer({ min: 1, max: 2 * segmentBytes }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(sizes, chunks, async (size, chunkSizes) => {
      const content = contentOf(size);
      for (const each of [objects, inBucket]) {
        await write('round/trip', content, chunkSizes, each);
        expect((await read('round/trip', each)).equals(content)).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

test('nothing of the content is at rest, and the same content is never the same at rest', async () => {
  const secretLine = Buffer.from('the quick brown fox that no one else may read. '.repeat(5_000));
  await write('at/rest', secretLine);
  const first = await sealed('at/rest');
  await write('at/rest', secretLine);
  const second = await sealed('at/rest');
  for (const bytes of [first, second]) expect(bytes.includes('quick brown')).toBe(false);
  const common = first.subarray(headerBytes).filter((byte, index) => byte === second[headerBytes + index]).length;
  expect(common).toBeLessThan(first.length / 100);
});

test('a flipped bit anywhere, a cut anywhere, and anything added are found (campaign)', async () => {
  const content = contentOf(2 * segmentBytes + 100);
  await write('hurt/object', content);
  const whole = await sealed('hurt/object');
  const damaged = fc.oneof(
    fc.integer({ min: 0, max: whole.length * 8 - 1 }).map((bit) => {
      const copy = Buffer.from(whole);
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return copy;
    }),
    fc.integer({ min: 0, max: whole.length - 1 }).map((length) => whole.subarray(0, length)),
    // Where a segment ends, the cut content would be whole.
    fc.constantFrom(0, 1, 2).map((segments) => whole.subarray(0, headerBytes + segments * (segmentBytes + 16))),
    fc.uint8Array({ minLength: 1, maxLength: 100 }).map((more) => Buffer.concat([whole, more])),
  );
  await fc.assert(
    fc.asyncProperty(damaged, async (bytes) => {
      await place.overwrite('hurt/object', bytes);
      await expect(read('hurt/object')).rejects.toBeInstanceOf(UnreadableObject);
    }),
    { numRuns: inCampaign(50, 150) },
  );
});

test('segments cannot change places, and an object cannot take the place of another', async () => {
  await write('moved/one', contentOf(3 * segmentBytes));
  const bytes = await sealed('moved/one');
  const segment = (index: number) => bytes.subarray(headerBytes + index * 65_552, headerBytes + (index + 1) * 65_552);
  await write('moved/other', contentOf(10));
  await place.overwrite('moved/other', bytes);
  await expect(read('moved/other')).rejects.toBeInstanceOf(UnreadableObject);
  const swapped = Buffer.concat([bytes.subarray(0, headerBytes), segment(1), segment(0), segment(2)]);
  await place.overwrite('moved/one', swapped);
  await expect(read('moved/one')).rejects.toBeInstanceOf(UnreadableObject);
});

test('a secret is replaced: what the former one sealed is read while it is accepted, and not afterwards', async () => {
  const former = 'the former secret of files, with 32 characters';
  await new SealedObjects(place.store, () => [former]).writeText('sealed/before', 'hello');
  expect(await new SealedObjects(place.store, () => [filesSecret, former]).readText('sealed/before')).toBe('hello');
  await expect(objects.readText('sealed/before')).rejects.toBeInstanceOf(UnreadableObject);
});

test('an object that does not exist is undefined', async () => {
  expect(await objects.read('not/there')).toBeUndefined();
});

/** A file that stays open ends the process once it is collected. */
test('whatever call of the storage fails, every writer that was made is committed or aborted (campaign)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 0, max: 3 * segmentBytes }),
      async (failing, size) => {
        let [call, open] = [0, 0];
        const fail = async () => {
          call += 1;
          if (call === failing) throw new Error('no space left on device');
        };
        const full: ObjectStore = {
          ...{
            read: async () => undefined,
            size: async () => undefined,
            readRange: async () => new Uint8Array(),
            list: async () => [],
            remove: async () => {},
            tidy: async () => {},
          },
          create: async () => {
            await fail();
            open += 1;
            return {
              write: fail,
              commit: async () => {
                await fail();
                open -= 1;
              },
              abort: async () => {
                open -= 1;
              },
            };
          },
        };
        const written = await new SealedObjects(full, () => [filesSecret])
          .writeText('some/object', 'x'.repeat(size))
          .then(
            () => true,
            () => false,
          );
        expect({ written, open }).toEqual({ written: call < failing, open: 0 });
      },
    ),
    { numRuns: inCampaign(60, 200) },
  );
});
