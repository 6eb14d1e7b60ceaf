/**
 * Documents are drawn in threads: the main thread keeps serving, and a drawing that fails or hangs affects no other.
 */
import { afterAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { PdfWorkers } from '../../../../admin/documents/files/pdf-workers.ts';
import { renderDocument } from '../../../../admin/documents/render/render-document.ts';
import { act, invoice, reconciliation } from '../render/samples.ts';

const workers = new PdfWorkers();
afterAll(() => workers.stop());

const sha = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
const long = {
  ...reconciliation,
  lines: Array.from({ length: 200 }, () => reconciliation.lines)
    .flat()
    .slice(0, 200),
};

test('a thread returns the bytes that the renderer makes', async () => {
  const drawn = await Promise.all([act, invoice, reconciliation].map((data) => workers.draw(data, {})));
  const expected = await Promise.all([act, invoice, reconciliation].map((data) => renderDocument(data)));
  expect(drawn.map(sha)).toEqual(expected.map(sha));
});

test('the main thread keeps running while a long document is drawn', async () => {
  let isDrawn = false;
  const drawing = workers.draw(long, {}).finally(() => {
    isDrawn = true;
  });
  let turns = 0;
  while (!isDrawn) {
    await new Promise(setImmediate);
    turns += 1;
  }
  await drawing;
  expect(turns).toBeGreaterThan(100);
});

test.skipIf(process.platform !== 'linux')('the serving thread has priority over drawing threads', async () => {
  await workers.draw(act, {});
  const priorities = readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)));
  // A higher number is a lower priority.
  expect(Math.max(...priorities)).toBeGreaterThan(getPriority());
});

test('a document that cannot be drawn fails without affecting others', async () => {
  const broken = { ...act, usage: undefined } as unknown as typeof act;
  const outcomes = await Promise.allSettled([broken, act, broken, invoice].map((data) => workers.draw(data, {})));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
});

test('a drawing that takes too long is given up with 503, and its place is free again', async () => {
  const hasty = new PdfWorkers({ threads: 1, timeoutMs: 1, idleMs: 1 });
  const outcomes = await Promise.all(
    Array.from({ length: 3 }, () => hasty.draw(long, {}).catch((error: { code: string }) => error.code)),
  );
  expect(outcomes).toEqual(['overloaded', 'overloaded', 'overloaded']);
  hasty.stop();
});

test('an idle thread ends, and the next document gets a new one', async () => {
  const brief = new PdfWorkers({ threads: 1, timeoutMs: 60_000, idleMs: 1 });
  const first = await brief.draw(act, {});
  // Timers of one length end in the order in which they were set.
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(sha(await brief.draw(act, {}))).toBe(sha(first));
  brief.stop();
});
