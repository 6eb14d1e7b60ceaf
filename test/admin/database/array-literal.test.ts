/** Postgres reads every value back from an array's text unchanged. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { arrayLiteral } from '../../../admin/database/array-literal.ts';
import { openLedger, type TestLedger } from '../ledger/ledger.ts';

let ledger: TestLedger;

beforeAll(async () => {
  ledger = await openLedger();
});

afterAll(() => ledger.close());

test('any text comes back unchanged, even with characters that have a meaning in arrays', async () => {
  const special = fc.constantFrom('', 'NULL', 'null', '"', '\\', '{', '}', ',', ' ', '\n', "'", '{"a","b"}');
  // The one character that Postgres does not allow in text.
  const anything = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
  const texts = fc.array(fc.oneof(special, anything, fc.constant(null)), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(texts, async (items) => {
      const [row] = await ledger.sql`SELECT to_jsonb(${arrayLiteral(items)}::text[]) AS items`;
      expect(row?.items).toEqual(items);
    }),
    { numRuns: 200 },
  );
});

test('large amounts, times, booleans and nulls come back unchanged', async () => {
  const amounts = [9_223_372_036_854_775_807n, -9_007_199_254_740_993n, 0n];
  const times = [new Date(0), new Date('2026-02-28T23:59:59.999Z')];
  const [row] = await ledger.sql<{ amounts: string[]; times: Date[]; flags: string }[]>`
    SELECT ${arrayLiteral(amounts)}::bigint[] AS amounts, ${arrayLiteral(times)}::timestamptz[] AS times,
      ${arrayLiteral([true, false, null])}::boolean[]::text AS flags`;
  expect(row?.amounts.map(BigInt)).toEqual(amounts);
  expect(row?.times).toEqual(times);
  expect(row?.flags).toBe('{t,f,NULL}');
});
