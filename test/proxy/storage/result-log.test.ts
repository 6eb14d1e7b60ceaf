/** The log of a batch's results: what counts is decided once, whatever proxies die or come late. */
import { afterAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { LogBroken, ResultLog } from '../../../proxy/storage/result-log.ts';
import { SealedObjects, UnreadableObject } from '../../../proxy/storage/sealed-objects.ts';
import { filesSecret, openTestStore } from '../../harness/storage/stores.ts';

const place = await openTestStore('s3');
const objects = new SealedObjects(place.store, () => [filesSecret]);
const newBatch = () => `batch_${crypto.randomUUID()}`;

afterAll(() => place.remove());

const result = (line: number, text = `{"line":${line}}`) => ({
  line,
  isAnswered: true,
  charge: `charge\n${line}`,
  text,
});
const textsOf = async (log: ResultLog) => (await Array.fromAsync(log.read())).map(({ text }) => text);

async function append(log: ResultLog, ...results: ReturnType<typeof result>[]): Promise<void> {
  const appended = results.map((each) => log.append(each));
  await log.flush();
  await Promise.all(appended);
}

test('what was appended is read, in its order, by the same proxy and by the next', async () => {
  const id = newBatch();
  const log = await ResultLog.take(objects, id);
  await append(log, result(1), result(2));
  await append(log, { ...result(3), isAnswered: false });
  const next = await ResultLog.take(objects, id);
  for (const each of [log, next]) {
    expect(await Array.fromAsync(each.read())).toEqual([result(1), result(2), { ...result(3), isAnswered: false }]);
  }
});

test('a result that comes after another proxy has taken the batch never counts', async () => {
  const id = newBatch();
  const frozen = await ResultLog.take(objects, id);
  await append(frozen, result(1, 'in time'));
  const next = await ResultLog.take(objects, id);
  await append(frozen, result(2, 'too late'));
  await append(next, result(2, 'of the next'));
  expect(await textsOf(next)).toEqual(['in time', 'of the next']);
  expect(await textsOf(await ResultLog.take(objects, id))).toEqual(['in time', 'of the next']);
});

test('the last segment of a proxy that died does not count where it is cut, at any byte', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2 }), fc.nat(), fc.nat(), async (whole, length, cut) => {
      const id = newBatch();
      const log = await ResultLog.take(objects, id);
      const texts = Array.from({ length: whole }, (_, index) => `result ${index}`);
      for (const [index, text] of texts.entries()) await append(log, result(index, text));
      await append(log, result(whole, 'x'.repeat(length % 200_000)));
      const name = `results/${id}/part-000001-${String(whole).padStart(6, '0')}`;
      const sealed = Buffer.concat(await Array.fromAsync((await place.store.read(name)) ?? []));
      await store(name, sealed.subarray(0, cut % sealed.length));
      const next = await ResultLog.take(objects, id);
      expect(await textsOf(next)).toEqual(texts);
      await append(next, result(whole, 'again'));
      expect(await textsOf(await ResultLog.take(objects, id))).toEqual([...texts, 'again']);
    }),
    { numRuns: 30 },
  );
});

test('a batch whose results were sealed with an unknown secret is not taken', async () => {
  const id = newBatch();
  await append(await ResultLog.take(objects, id), result(1));
  const others = new SealedObjects(place.store, () => [`${filesSecret} of another gateway`]);
  await expect(ResultLog.take(others, id)).rejects.toBeInstanceOf(UnreadableObject);
  expect(await textsOf(await ResultLog.take(objects, id))).toEqual(['{"line":1}']);
});

async function store(name: string, content: Uint8Array): Promise<void> {
  const writer = await place.store.create(name);
  await writer.write(content);
  await writer.commit();
}

test('any order of proxies that take a batch, append and come late leaves one history', async () => {
  const steps = fc.array(fc.record({ takes: fc.boolean(), writer: fc.integer({ min: 0, max: 5 }) }), { maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const id = newBatch();
      const logs = [await ResultLog.take(objects, id)];
      const counting: string[] = [];
      for (const [index, { takes, writer }] of all.entries()) {
        if (takes) logs.push(await ResultLog.take(objects, id));
        const log = logs[writer % logs.length];
        if (log === undefined) continue;
        await append(log, result(index, `result ${index}`));
        if (log === logs.at(-1)) counting.push(`result ${index}`);
      }
      expect(await textsOf(await ResultLog.take(objects, id))).toEqual(counting);
    }),
    { numRuns: 40 },
  );
});

test('while results cannot be stored, they are refused, and the log stays broken', async () => {
  const bucket = await openTestStore('s3');
  const log = await ResultLog.take(new SealedObjects(bucket.store, () => [filesSecret]), newBatch());
  await bucket.remove();
  const appended = log.append(result(1));
  void log.flush();
  await expect(appended).rejects.toBeInstanceOf(LogBroken);
  await expect(log.append(result(2))).rejects.toBeInstanceOf(LogBroken);
});
