/** No SQL statement can change or unbalance the books, on the tables or on any of their partitions. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { partitionsFrom } from '../../../admin/database/partitions.ts';
import { applyCharges } from '../../../admin/ledger/charges/apply-charges.ts';
import { chargeOf, openLedger, readBooks, type TestLedger } from './ledger.ts';

let ledger: TestLedger;
let accountId: number;

beforeAll(async () => {
  ledger = await openLedger();
  accountId = await ledger.openAccount();
  await applyCharges(ledger.sql, [
    chargeOf(accountId),
    chargeOf(accountId, { chargedAt: new Date(0), requestId: '00000000-0000-7000-8000-000000000000' }),
  ]);
});

afterAll(() => ledger.close());

const guarded = ['ledger_lines', 'usage_events'];
const tables = [
  'journals',
  ...guarded.flatMap((table) => [table, `${table}_default`]),
  ...partitionsFrom(new Date())
    .filter(({ parent }) => guarded.includes(parent))
    .map(({ name }) => name),
];

describe.each(tables)('%s refuses', (table) => {
  const statements = {
    UPDATE: `UPDATE ${table} SET ${table === 'journals' ? "reason = 'other'" : 'account_id = NULL'}`,
    DELETE: `DELETE FROM ${table}`,
    TRUNCATE: `TRUNCATE ${table} CASCADE`,
  };
  test.each(Object.entries(statements))('%s', async (operation, statement) => {
    const before = await readBooks(ledger);
    await expect(ledger.sql.unsafe(statement).execute()).rejects.toThrow(`refuses ${operation}`);
    expect(await readBooks(ledger)).toEqual(before);
  });
});

test('accounts cannot be deleted, because lines refer to them', async () => {
  await expect(ledger.sql`DELETE FROM accounts WHERE id = ${accountId}`.execute()).rejects.toThrow('refuses DELETE');
  await expect(ledger.sql`TRUNCATE accounts CASCADE`.execute()).rejects.toThrow('refuses TRUNCATE');
});

const thisMonth = partitionsFrom(new Date()).find(({ parent }) => parent === 'ledger_lines')?.name ?? '';

describe.each(['ledger_lines', thisMonth])('lines inserted into %s', (table) => {
  const firstId = 1_000_000;
  /** Before Postgres 17 a partition does not generate its rows' ids. */
  const line = (journalId: string, amountNano: number, of: number | null = accountId) =>
    `INSERT INTO ${table} (id, journal_id, book, account_id, amount_nano, type, description)
     OVERRIDING SYSTEM VALUE VALUES (${firstId}, ${journalId}, 'wallet', ${of}, ${amountNano}, 'usage', 'by hand')`;
  const insert = (...amounts: number[]) =>
    ledger.sql.begin(async (sql) => {
      const [journal] = await sql<{ id: string }[]>`
        INSERT INTO journals (type, reason) VALUES ('usage', 'by hand') RETURNING id`;
      for (const amount of amounts)
        await sql.unsafe(line(journal?.id ?? '', amount).replace(String(firstId), `${firstId + amount}`));
    });

  test('lines that do not sum to zero are refused at commit', async () => {
    await expect(insert(-5, 4)).rejects.toThrow('does not balance: its lines sum to -1 nano-USD');
    await expect(insert(-5)).rejects.toThrow('does not balance');
    await insert(5, -5);
  });

  test('lines of a journal of an earlier transaction are refused, even if they balance', async () => {
    const [journal] = await ledger.sql<{ id: string }[]>`SELECT max(id) AS id FROM journals`;
    await expect(ledger.sql.unsafe(line(journal?.id ?? '', 0)).execute()).rejects.toThrow(
      'only in the transaction that made it',
    );
  });

  test('lines without a journal or an account are refused', async () => {
    await expect(ledger.sql.unsafe(line('999999', 0)).execute()).rejects.toThrow('only in the transaction');
    const ofNobody = ledger.sql.begin(async (sql) => {
      const [journal] = await sql<{ id: string }[]>`
        INSERT INTO journals (type, reason) VALUES ('usage', 'by hand') RETURNING id`;
      await sql.unsafe(line(journal?.id ?? '', 0, 999_999));
    });
    await expect(ofNobody).rejects.toThrow('there is no account 999999');
  });
});
