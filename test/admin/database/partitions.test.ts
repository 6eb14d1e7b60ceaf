/** The ledger's monthly partitions are created in advance, and rows without one are still booked. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { keepPartitionsMade, makePartitions, partitionsFrom } from '../../../admin/database/partitions.ts';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { createLog } from '../../../shared/log.ts';
import { chargeOf, openLedger, readBooks, type TestLedger } from '../ledger/ledger.ts';

let ledger: TestLedger;

beforeEach(async () => {
  ledger = await openLedger({ compact: false });
});

afterEach(() => ledger.close());

const monthMs = 31 * 24 * 3_600_000;
/** A UUIDv7 of that time. */
const requestAt = (time: Date) => Bun.randomUUIDv7('hex', time);

async function placesOf(requestId: string): Promise<Record<string, string>[]> {
  return ledger.sql<Record<string, string>[]>`
    SELECT tableoid::regclass::text AS place FROM usage_requests WHERE request_id = ${requestId}
    UNION ALL SELECT tableoid::regclass::text FROM usage_events WHERE request_id = ${requestId}
    UNION ALL SELECT tableoid::regclass::text FROM ledger_lines WHERE request_id = ${requestId}`;
}

test('the partitioned months are the current one and the next two, even at the end of a year', () => {
  const lines = partitionsFrom(new Date('2026-11-30T23:59:59.999Z')).filter(({ parent }) => parent === 'ledger_lines');
  expect(lines.map(({ name, from, to }) => [name, from, to])).toEqual([
    ['ledger_lines_2026_11', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
    ['ledger_lines_2026_12', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['ledger_lines_2027_01', '2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
  ]);
});

test('a month of requests is the range of the ids created in it', () => {
  const [month] = partitionsFrom(new Date('2026-11-15Z')).filter(({ parent }) => parent === 'usage_requests');
  const isWithin = (time: string) => {
    const id = requestAt(new Date(time));
    return id >= (month?.from ?? '') && id < (month?.to ?? '');
  };
  expect(isWithin('2026-11-01T00:00:00.000Z')).toBe(true);
  expect(isWithin('2026-11-30T23:59:59.999Z')).toBe(true);
  expect(isWithin('2026-10-31T23:59:59.999Z')).toBe(false);
  expect(isWithin('2026-12-01T00:00:00.000Z')).toBe(false);
});

test('a migrated database has three months of each table, and each holds its own rows', async () => {
  const accountId = await ledger.openAccount();
  for (const ahead of [0, 1, 2]) {
    const middle = new Date();
    middle.setUTCDate(15);
    middle.setUTCMonth(middle.getUTCMonth() + ahead);
    const name = middle.toISOString().slice(0, 7).replace('-', '_');
    const charge = chargeOf(accountId, { requestId: requestAt(middle), chargedAt: middle });
    expect((await applyCharges(ledger.sql, [charge])).applied).toBe(1);
    expect((await placesOf(charge.requestId)).map(({ place }) => place)).toEqual([
      `usage_requests_${name}`,
      `usage_events_${name}`,
      `ledger_lines_${name}`,
    ]);
  }
});

test('creating partitions again creates nothing, and in the next month only the missing ones', async () => {
  expect((await makePartitions(ledger.sql)).made).toEqual([]);
  const now = new Date();
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  const { made } = await makePartitions(ledger.sql, nextMonth);
  expect(made).toHaveLength(3);
  expect(made.every((name) => partitionsFrom(nextMonth).some((partition) => partition.name === name))).toBe(true);
});

test('several programs can create partitions concurrently while charges are booked', async () => {
  const accountId = await ledger.openAccount();
  const later = new Date(Date.now() + 12 * monthMs);
  const making = Promise.all(Array.from({ length: 4 }, () => makePartitions(ledger.sql, later)));
  const booking = Promise.all(
    Array.from({ length: 40 }, () => applyCharges(ledger.sql, [chargeOf(accountId), chargeOf(accountId)])),
  );
  const [reports] = await Promise.all([making, booking]);
  expect(reports.flatMap(({ made }) => made).sort()).toEqual(
    partitionsFrom(later)
      .map(({ name }) => name)
      .sort(),
  );
  expect((await readBooks(ledger)).balances.get(accountId)).toBe(-8_000n);
});

test('a charge whose month has no partition is still booked once, and reported', async () => {
  const accountId = await ledger.openAccount();
  const longAgo = new Date('2020-02-29T12:00:00Z');
  const old = chargeOf(accountId, { requestId: requestAt(longAgo), chargedAt: longAgo });
  const noTime = chargeOf(accountId, { requestId: 'ffffffff-ffff-4fff-bfff-ffffffffffff' });
  for (const applied of [2, 0]) expect((await applyCharges(ledger.sql, [old, noTime])).applied).toBe(applied);
  expect((await placesOf(old.requestId)).map(({ place }) => place)).toEqual([
    'usage_requests_default',
    'usage_events_default',
    'ledger_lines_default',
  ]);
  const books = await readBooks(ledger);
  expect(books.violations).toEqual([]);
  expect(books.balances.get(accountId)).toBe(-200n);
  expect(Object.fromEntries((await makePartitions(ledger.sql)).strays)).toEqual({
    ledger_lines_default: 1,
    usage_events_default: 2,
    usage_requests_default: 2,
  });
});

test('a month with rows in the default partition stays there, and the other months are created', async () => {
  const accountId = await ledger.openAccount();
  const later = new Date(Date.now() + 12 * monthMs);
  await applyCharges(ledger.sql, [chargeOf(accountId, { requestId: requestAt(later), chargedAt: later })]);
  const { made, strays } = await makePartitions(ledger.sql, later);
  expect(made).toHaveLength(6);
  expect(strays.size).toBe(3);
});

test('rows in a default partition are an error in the log, and nothing else is', async () => {
  const written: string[] = [];
  const log = {
    ...createLog({ program: 'admin', level: 'silent' }),
    error: (_: unknown, text: string) => written.push(text),
  };
  await keepPartitionsMade({ sql: ledger.sql, log: log as never });
  expect(written).toEqual([]);
  const accountId = await ledger.openAccount();
  await applyCharges(ledger.sql, [chargeOf(accountId, { chargedAt: new Date(0) })]);
  await keepPartitionsMade({ sql: ledger.sql, log: log as never });
  expect(written).toEqual(['a default partition of the ledger has rows']);
});
