/** The file of a document is drawn once, stored, and has the same bytes for everyone for ever. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type PdfServices, readPdf } from '../../../../admin/documents/files/read-pdf.ts';
import { renderDocument } from '../../../../admin/documents/render/render-document.ts';
import { HeavyWork, heavyLimits } from '../../../../admin/heavy-work/heavy-work.ts';
import { openLedger, type TestLedger } from '../../ledger/ledger.ts';
import { openCompanies, seller } from '../books.ts';
import { newDocument } from '../new-document.ts';

let ledger: TestLedger;
let accountId: number;
beforeAll(async () => {
  ledger = await openLedger();
  [accountId = 0] = await openCompanies(ledger, 1);
});
afterAll(() => ledger.close());

/** Counts drawings, and makes each distinguishable. */
function services(): PdfServices & { drawn: number } {
  const counting = {
    db: ledger.db,
    seller,
    drawn: 0,
    draw: async () => {
      counting.drawn += 1;
      return new TextEncoder().encode(`drawing ${counting.drawn} ${crypto.randomUUID()}`);
    },
  };
  return counting;
}

test('a second download of a document costs a read and has the same bytes', async () => {
  const id = await newDocument(ledger.db, accountId);
  const [one, other] = [services(), services()];
  const first = await readPdf(one, { id });
  const second = await readPdf(other, { id });
  expect(Buffer.from(second.bytes).equals(first.bytes)).toBe(true);
  expect([one.drawn, other.drawn]).toEqual([1, 0]);
  expect(second).toMatchObject({ name: expect.stringContaining('Акт сверки'), plainName: first.plainName });
});

test('many downloads of a document, which an account makes in turn, cause one drawing', async () => {
  const id = await newDocument(ledger.db, accountId);
  const counting = services();
  const work = new HeavyWork(heavyLimits);
  const task = { kind: 'document', accountId, signal: new AbortController().signal } as const;
  const files = await Promise.all(
    Array.from({ length: 8 }, () => work.run(task, () => readPdf({ ...counting, draw: counting.draw }, { id }))),
  );
  expect(new Set(files.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).size).toBe(1);
  expect((await readPdf(counting, { id })).bytes.length).toBeGreaterThan(0);
  expect(counting.drawn).toBe(1);
});

test('replicas that draw a document concurrently return the same file', async () => {
  const id = await newDocument(ledger.db, accountId);
  const files = await Promise.all(Array.from({ length: 4 }, () => readPdf(services(), { id })));
  expect(new Set(files.map(({ bytes }) => Buffer.from(bytes).toString('hex'))).size).toBe(1);
});

test('another account gets nothing, whether the file is stored or not', async () => {
  const id = await newDocument(ledger.db, accountId);
  const input = { id, accountId: accountId + 1 };
  expect(readPdf(services(), input)).rejects.toMatchObject({ code: 'not_found' });
  await readPdf(services(), { id });
  expect(readPdf(services(), input)).rejects.toMatchObject({ code: 'not_found' });
});

test('the database refuses to change or delete a stored file', async () => {
  const { sql } = ledger;
  const id = await newDocument(ledger.db, accountId);
  await readPdf(services(), { id });
  expect(sql`UPDATE document_files SET bytes = ''`.execute()).rejects.toThrow('refuses UPDATE');
  expect(sql`DELETE FROM document_files`.execute()).rejects.toThrow('refuses DELETE');
});

test('a real drawing is stored and returned whole', async () => {
  const id = await newDocument(ledger.db, accountId);
  const { bytes } = await readPdf({ db: ledger.db, seller, draw: renderDocument }, { id });
  const kept = await readPdf(services(), { id });
  expect(Buffer.from(kept.bytes).equals(bytes)).toBe(true);
  expect(new TextDecoder().decode(kept.bytes.subarray(0, 5))).toBe('%PDF-');
});
