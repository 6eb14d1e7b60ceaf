/** Totals of days that are over become lists: which ones, and what is booked for those days later. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { numberedLocks } from '../../../admin/database/advisory-locks.ts';
import { makePartitions } from '../../../admin/database/partitions.ts';
import { readScopeSpend } from '../../../admin/keys/hydrate-spend.ts';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { listStatement } from '../../../admin/ledger/queries/list-transactions.ts';
import { readUsage } from '../../../admin/ledger/queries/usage/read-usage.ts';
import { keepPacked, packDue } from '../../../admin/ledger/totals/keep-packed.ts';
import { detailOf } from '../../harness/wallet/charge-detail.ts';
import { chargeOf, openLedger, type TestLedger } from './ledger.ts';

const hourMs = 3_600_000;
const now = new Date('2026-10-15T12:00:00Z');
/** Everything before has become lists by now. */
const border = new Date('2026-10-14T00:00:00Z');

let ledger: TestLedger;
let accountId: number;

beforeAll(async () => {
  ledger = await openLedger();
  await makePartitions(ledger.sql, new Date('2026-09-10T00:00:00Z'));
});
afterAll(() => ledger.close());

async function charge(at: Date, model = 'm'): Promise<void> {
  const detail = detailOf({ startedAtMs: at.getTime(), model });
  const requestId = Bun.randomUUIDv7('hex', at);
  const wallet = { walletSeq: null, walletSpentNano: null };
  await applyCharges(ledger.sql, [chargeOf(accountId, { requestId, chargedAt: at, detail, ...wallet })]);
}

async function count(): Promise<{ rows: number; parts: number; listed: number }> {
  const [counted] = await ledger.sql`
    SELECT (SELECT count(*)::int FROM usage_totals WHERE account_id = ${accountId}) AS rows, count(*)::int AS parts,
      coalesce(sum(cardinality(quarters)), 0)::int AS listed
    FROM archived_totals WHERE account_id = ${accountId}`;
  return counted as { rows: number; parts: number; listed: number };
}

const before = (hours: number) => new Date(border.getTime() - hours * hourMs);
const readSums = async () => [
  await readUsage(ledger.sql, {
    ...{ accountId, from: before(48), to: now, timeZone: 'UTC', rowsMax: 1_000 },
    groupBy: new Set(['day', 'hour', 'model'] as const),
  }),
  await readScopeSpend(ledger.sql, { level: 'key', accountId, id: 1 }, now),
];

test('the totals of whole days that have been over for one become lists, and those of few stay', async () => {
  accountId = await ledger.openAccount();
  for (let hour = 1; hour <= 4; hour += 1) await charge(before(hour));
  await charge(new Date(border.getTime()));
  const sums = await readSums();
  expect(await packDue(ledger.sql, { now, min: 5 })).toBe(true);
  expect(await count()).toEqual({ rows: 5, parts: 0, listed: 0 });
  expect(await packDue(ledger.sql, { now, min: 4 })).toBe(true);
  expect(await count()).toEqual({ rows: 1, parts: 1, listed: 4 });
  expect(await readSums()).toEqual(sums);
});

test('what is booked later for a quarter of an hour in a list adds up with it, as a row and as a list', async () => {
  accountId = await ledger.openAccount();
  for (let hour = 1; hour <= 3; hour += 1) await charge(before(hour));
  await packDue(ledger.sql, { now, min: 1 });
  for (const model of ['m', 'other', 'm']) await charge(new Date(before(2).getTime() + 1_000), model);
  const sums = await readSums();
  expect(sums[0]).toMatchObject([
    { requests: 1 },
    { model: 'm', requests: 3 },
    { model: 'other', requests: 1 },
    { requests: 1 },
  ]);
  expect(await count()).toEqual({ rows: 2, parts: 1, listed: 3 });
  await packDue(ledger.sql, { now, min: 1 });
  expect(await count()).toEqual({ rows: 0, parts: 2, listed: 5 });
  expect(await readSums()).toEqual(sums);
});

test('the balance after each charge stays, also where two open months have lists', async () => {
  accountId = await ledger.openAccount();
  for (const day of ['2026-09-20', '2026-09-30', '2026-10-01', '2026-10-05'])
    for (let hour = 20; hour <= 23; hour += 1) await charge(new Date(`${day}T${hour}:10:00Z`));
  const all = { accountId, type: undefined, from: undefined, to: undefined };
  const readBalances = async () => {
    const balances: bigint[] = [];
    for (let offset = 0; offset < 16; offset += 1) {
      const { lines } = await listStatement(ledger, all, { limit: 1, offset });
      balances.push(...lines.map(({ balanceAfterNano }) => balanceAfterNano));
    }
    return balances;
  };
  const balances = await readBalances();
  expect(balances).toEqual(Array.from({ length: 16 }, (_, index) => -100n * BigInt(16 - index)));
  await packDue(ledger.sql, { now, min: 1, inPart: 3 });
  expect(await count()).toEqual({ rows: 0, parts: 6, listed: 16 });
  expect(await readBalances()).toEqual(balances);
});

test('nothing becomes a list while version 0.1.0 may read it, or another program packs', async () => {
  accountId = await ledger.openAccount();
  await charge(before(1));
  await ledger.sql`UPDATE ledger_settings SET compact = false`;
  expect(await packDue(ledger.sql, { now, min: 1 })).toBe(true);
  await ledger.sql`UPDATE ledger_settings SET compact = true`;
  const other = await ledger.sql.reserve();
  await other`SELECT pg_advisory_lock(${numberedLocks.archive.number})`;
  expect(await packDue(ledger.sql, { now, min: 1 })).toBe(false);
  expect(await count()).toEqual({ rows: 1, parts: 0, listed: 0 });
  await other`SELECT pg_advisory_unlock(${numberedLocks.archive.number})`;
  other.release();
  expect(await packDue(ledger.sql, { now, min: 1 })).toBe(true);
  expect(await count()).toEqual({ rows: 0, parts: 1, listed: 1 });
});

test('the worker packs once a day, and only as the admin in charge', async () => {
  accountId = await ledger.openAccount();
  const many = Array.from({ length: 100 }, (_, index) => new Date(before(1).getTime() - index * 900_000));
  for (const at of many) await charge(at);
  const step = keepPacked(ledger.sql);
  const { signal } = new AbortController();
  await step({ inCharge: false, signal });
  expect(await count()).toEqual({ rows: 100, parts: 0, listed: 0 });
  await step({ inCharge: true, signal });
  expect(await count()).toEqual({ rows: 0, parts: 1, listed: 100 });
  for (const at of many) await charge(at);
  await step({ inCharge: true, signal });
  expect(await count()).toEqual({ rows: 100, parts: 1, listed: 100 });
});
