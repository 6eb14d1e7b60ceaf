/** A page of transactions at any offset is that part of the whole list, however much of it is archived. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test';
import type { LedgerLine } from '../../../../admin/database/tables/ledger-views.ts';
import { archiveUsage } from '../../../../admin/ledger/archive/archive-usage.ts';
import { UsageArchive } from '../../../../admin/ledger/archive/usage-archive.ts';
import type { Ledger } from '../../../../admin/ledger/ledger.ts';
import type { TransactionFilter } from '../../../../admin/ledger/queries/lines-of-account.ts';
import {
  listStatement,
  listTransactions,
  walkTransactions,
} from '../../../../admin/ledger/queries/list-transactions.ts';
import { countAllLots } from '../../../../admin/lots/count-lots.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';
import { bookings, type TestLedger } from '../ledger.ts';
import { sealBefore } from '../past-charges.ts';
import { bookGenerated, june, openMonths } from './generated-charges.ts';
import type { Booked } from './read-everything.ts';

const seed = Number(process.env.SEED ?? 20_261_201);
const cases = 40;

describe.each(bookings)('an offset in charges that were booked %s', (_way, options) => {
  let ledger: TestLedger;
  let booked: Booked;
  /** Of each account, before anything is archived. */
  let lines: Map<number, LedgerLine[]>;

  beforeAll(async () => {
    ledger = await openMonths(options);
    booked = await bookGenerated(ledger, new SeededRandom(seed), 120);
    await sealBefore(ledger, new Date('2026-06-01T00:00:00Z'));
    await countAllLots(ledger.db, { billingTimeZone: 'UTC' });
    lines = new Map();
    for (const accountId of booked.accountIds)
      lines.set(accountId, (await Array.fromAsync(walkTransactions(ledger, allOf(accountId), 1_000))).flat());
  });
  afterAll(() => ledger.close());

  const allOf = (accountId: number) => ({ accountId, type: undefined, from: undefined, to: undefined });

  function wholeList({ accountId, type, from, to }: TransactionFilter): LedgerLine[] {
    const isListed = ({ type: other, createdAt }: LedgerLine) =>
      (type ?? other) === other && (from ?? createdAt) <= createdAt && (to === undefined || createdAt < to);
    return (lines.get(accountId) ?? []).filter(isListed);
  }

  function generateFilter(random: SeededRandom): TransactionFilter {
    const at = () => new Date(random.integer(booked.first.getTime(), booked.last.getTime()));
    return {
      accountId: random.pick(booked.accountIds),
      type: random.pickIfAny([undefined, undefined, 'usage', 'payment'] as const),
      from: random.chance(0.3) ? at() : undefined,
      to: random.chance(0.3) ? at() : undefined,
    };
  }

  async function compare(read: Ledger, random: SeededRandom): Promise<void> {
    for (let asked = 0; asked < cases; asked += 1) {
      const filter = generateFilter(random);
      const whole = wholeList(filter);
      const page = { limit: random.integer(1, 20), offset: random.integer(0, whole.length + 2) };
      const expected = whole.slice(page.offset, page.offset + page.limit);
      expect({ filter, page, lines: await listTransactions(read, filter, page) }).toEqual({
        filter,
        page,
        lines: expected,
      });
      const statement = await listStatement(read, filter, page);
      expect(statement.lines.map(({ line }) => line)).toEqual(expected);
      expect(statement.end === undefined).toBe(page.offset + page.limit >= whole.length);
    }
  }

  test('is the same part of the whole list while all charges are in the tables', async () => {
    await compare(ledger, new SeededRandom(seed + 1));
  });

  test('continues behind the end of another page', async () => {
    const random = new SeededRandom(seed + 2);
    for (const accountId of booked.accountIds) {
      const filter = allOf(accountId);
      const whole = wholeList(filter);
      const limit = random.integer(1, 10);
      const { end: behind } = await listStatement(ledger, filter, { limit });
      const page = await listStatement(ledger, filter, { limit: 5, offset: 7, behind });
      expect(page.lines.map(({ line }) => line)).toEqual(whole.slice(limit + 7, limit + 12));
    }
  });

  test('is the same part of the whole list once three of six months are archived', async () => {
    const { store } = ledger.archive;
    await archiveUsage(ledger.sql, { months: 2, store, now: june, rowsInGroup: 9 });
    for (const rowsInTurn of [1, 250]) {
      const archive = new UsageArchive({ kind: 'folder', path: ledger.archivePath }, { rowsInTurn });
      await compare({ db: ledger.db, archive }, new SeededRandom(seed + 3));
    }
  });

  test('that is newer than all archived charges reads no file of them', async () => {
    const reads = spyOn(ledger.archive.store, 'readRange');
    const [accountId = 0] = booked.accountIds;
    expect(await listTransactions(ledger, allOf(accountId), { limit: 2, offset: 3 })).toHaveLength(2);
    expect(reads).not.toHaveBeenCalled();
  });
});
