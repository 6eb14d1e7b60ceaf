/** A sealed month is proved by its seal, wherever its rows are; whatever is changed in it, or in the seal, is found. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Sql, TransactionSql } from 'postgres';
import { makePartitions } from '../../../../admin/database/partitions.ts';
import type { LinePosition } from '../../../../admin/http/request/page-cursor.ts';
import { archiveUsage } from '../../../../admin/ledger/archive/archive-usage.ts';
import { ChargeFile } from '../../../../admin/ledger/archive/file/charge-file.ts';
import { writeChargeFile } from '../../../../admin/ledger/archive/file/write-charge-file.ts';
import type { StoredRow } from '../../../../admin/ledger/archive/stored-row.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { readBalancesAfter } from '../../../../admin/ledger/queries/read-balances-after.ts';
import { sealedColumns } from '../../../../admin/ledger/seals/row-text.ts';
import { verifyMonth } from '../../../../admin/ledger/seals/verify-month.ts';
import { countAllLots } from '../../../../admin/lots/count-lots.ts';
import { checkBooks } from '../../../../admin/wallets/reconcile/checks/check-books.ts';
import type { ObjectStore } from '../../../../shared/objects/object-store.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';
import { bookings, chargeOf, openLedger, type TestLedger } from '../ledger.ts';
import { bookPast, makePrice, pastCharges, payPast, sealBefore } from '../past-charges.ts';

const january = new Date('2026-01-10T00:00:00Z');
const endOfJanuary = new Date('2026-01-31T23:59:58Z');
const february = new Date('2026-02-01T00:00:00Z');
const june = new Date('2026-06-15T00:00:00Z');
const seed = Number(process.env.SEED ?? 20_261_127);
/** So that a month has several. */
const rowsInBlock = 25;
const undo = new Error('undo');
/** Columns that no row has a value in. */
/** No charge has anything in these. */
const emptyOf = { lines: ['request_id', 'model'], events: ['booked_nano', 'journal_id', 'line_id', 'repeats'] };

describe.each(bookings)('a month whose charges were booked %s', (_way, options) => {
  const random = new SeededRandom(seed);
  let ledger: TestLedger;
  let accountId: number;
  let ids: string[];
  let hashes: string[];
  let positions: LinePosition[];

  beforeAll(async () => {
    ledger = await openLedger(options);
    accountId = await ledger.openAccount();
    const other = await ledger.openAccount();
    const priceVersion = await makePrice(ledger);
    for (const at of [january, new Date('2026-04-10T00:00:00Z')]) await makePartitions(ledger.sql, at);
    const past = { accountId, priceVersion };
    await payPast(ledger, { accountId, amountNano: 1_000_000n, at: january });
    ids = await bookPast(ledger, { ...past, from: january, count: 120, numbered: 0 });
    await bookPast(ledger, { ...{ accountId: other, priceVersion }, from: january, count: 7, numbered: 0 });
    // A batch at midnight, in which a request of January is charged after one of February.
    const border = pastCharges({ ...past, from: endOfJanuary, count: 8, numbered: 120, everyMs: 500 });
    const [late, early] = [border[3], border[5]];
    if (late === undefined || early === undefined) throw new Error('no charges');
    border[3] = { ...late, walletSeq: early.walletSeq, chargedAt: early.chargedAt };
    // And a request of February, by its proxy's clock, was charged in January, by that of Redis.
    border[5] = { ...early, walletSeq: late.walletSeq, chargedAt: late.chargedAt };
    await applyCharges(ledger.sql, border);
    await bookPast(ledger, { ...past, from: february, count: 20, numbered: 128 });
    await bookPast(ledger, { ...past, from: june, count: 3, numbered: 148 });
    hashes = await sealBefore(ledger, new Date('2026-05-01T00:00:00Z'), rowsInBlock);
  });

  afterAll(() => ledger.close());

  const violations = async () => (await checkBooks(ledger.sql, { accountId: undefined })).map(({ message }) => message);
  const problemsOf = async (month: string, sql: Sql = ledger.sql) =>
    (await verifyMonth({ sql, archive: ledger.archive, readsFiles: true }, month))?.problems;

  /** The problems that the work causes, which is undone. */
  async function problemsAfter(work: (transaction: TransactionSql) => Promise<unknown>): Promise<readonly string[]> {
    let problems: readonly string[] = [];
    const changed = ledger.sql.begin(async (transaction) => {
      await transaction`SET LOCAL session_replication_role = replica`;
      await transaction`ALTER TABLE ledger_lines ALTER COLUMN id DROP IDENTITY`;
      await work(transaction);
      problems = (await problemsOf('2026-01', transaction as unknown as Sql)) ?? [];
      throw undo;
    });
    await expect(changed).rejects.toBe(undo);
    return problems;
  }

  test('has a seal of its own, which continues that of the month before', async () => {
    expect(new Set(hashes).size).toBe(4);
    const rows = await ledger.sql<{ month: string; previous_hash: string; hash: string; events: string }[]>`
      SELECT month::text, previous_hash, hash, events FROM sealed_months ORDER BY month`;
    expect(rows.map(({ month }) => month)).toEqual(['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01']);
    expect(rows.map(({ hash }) => hash)).toEqual(hashes);
    expect(rows.map(({ previous_hash }) => previous_hash)).toEqual(['', ...hashes.slice(0, -1)]);
    expect(rows.map(({ events }) => Number(events))).toEqual([121 + 8 + 4, 4 + 21, 0, 0]);
  });

  test('is what was sealed, and the books agree with it', async () => {
    for (const month of ['2026-01', '2026-02', '2026-03', '2026-04']) expect(await problemsOf(month)).toEqual([]);
    expect(await violations()).toEqual([]);
    expect(await checkBooks(ledger.sql, { accountId })).toEqual([]);
    expect(await verifyMonth({ ...ledger, readsFiles: true }, '2026-05')).toBeUndefined();
  });

  /** Each line of the account with the sum up to it, and the balance after it as statements and receipts have it. */
  async function balances(): Promise<readonly { readonly summed: bigint; readonly read: bigint }[]> {
    const lines = await ledger.sql<{ id: string; at: string; summed: string }[]>`
      SELECT id, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, sum(amount_nano) OVER (ORDER BY created_at, id) AS summed
      FROM journal_lines WHERE account_id = ${accountId} ORDER BY created_at, id`;
    positions = lines.map(({ id, at }) => ({ id: Number(id), exactTime: at }));
    const read = await readBalancesAfter(ledger, { accountId, positions });
    return lines.map(({ summed }, index) => ({ summed: BigInt(summed), read: read[index] ?? 0n }));
  }

  test('has the balance after each of its lines, from its end', async () => {
    const found = await balances();
    expect(found.length).toBeGreaterThan(150);
    expect(found.filter(({ summed, read }) => summed !== read)).toEqual([]);
  });

  test('accepts no row, and no change', async () => {
    await expect(
      ledger.sql`
      INSERT INTO ledger_lines (journal_id, book, amount_nano, type, description, created_at)
      VALUES (1, 'cash', 0, 'usage', '', ${january})`.execute(),
    ).rejects.toThrow('refuses INSERT');
    for (const table of ['sealed_months', 'sealed_blocks', 'sealed_accounts'])
      await expect(ledger.sql`DELETE FROM ${ledger.sql(table)}`.execute()).rejects.toThrow('refuses DELETE');
    await expect(ledger.sql`UPDATE sealed_months SET hash = ''`.execute()).rejects.toThrow('is never changed');
  });

  test('refuses a charge that comes too late, and books the others', async () => {
    const late = chargeOf(accountId, { requestId: Bun.randomUUIDv7('hex', january) });
    const inTime = chargeOf(accountId, { walletSeq: null, walletSpentNano: null });
    const { applied, unknown } = await applyCharges(ledger.sql, [late, inTime]);
    expect([applied, unknown]).toEqual([1, [late]]);
    expect(await violations()).toEqual([]);
  });

  for (const part of ['lines', 'events'] as const) {
    const [table, key] =
      part === 'lines' ? (['ledger_lines_2026_01', 'id'] as const) : (['usage_events_2026_01', 'request_id'] as const);

    test.each(sealedColumns()[part])(`shows that its ${part} were changed (%s)`, async (column) => {
      const { sql } = ledger;
      const rows = await sql<{ ctid: string; type: string; empty: boolean }[]>`
        SELECT ctid::text, pg_typeof(${sql(column)})::text AS type, ${sql(column)} IS NULL AS empty FROM ${sql(table)}`;
      // Charges are lines of their own, or events are lines.
      if (rows.every(({ empty }) => empty) && emptyOf[part].includes(column)) return;
      const { ctid, type } = random.pick(rows);
      const changed = sql.unsafe(changes[type]?.(column) ?? 'no such type');
      const problems = await problemsAfter(
        (transaction) => transaction`UPDATE ${sql(table)} SET ${sql(column)} = ${changed} WHERE ctid = ${ctid}::tid`,
      );
      expect(problems).toContainEqual(expect.stringContaining('what was sealed'));
    });

    test(`shows that one of its ${part} is missing, or one too many`, async () => {
      const { sql } = ledger;
      const rows = await sql<{ ctid: string }[]>`SELECT ctid::text FROM ${sql(table)} ORDER BY ${sql(key)}`;
      const chosen = [rows[0], rows.at(-1), random.pick(rows), random.pick(rows)].map((row) => row?.ctid ?? '');
      for (const ctid of chosen) {
        const without = await problemsAfter(
          (transaction) => transaction`DELETE FROM ${sql(table)} WHERE ctid = ${ctid}::tid`,
        );
        expect(without).toContainEqual(expect.stringContaining('instead of'));
        // In its place, or after the last one.
        for (const place of [0, 1]) {
          const twice = await problemsAfter(async (transaction) => {
            await transaction`CREATE TEMP TABLE copied ON COMMIT DROP AS SELECT * FROM ${sql(table)} WHERE ctid = ${ctid}::tid`;
            if (part === 'lines')
              await transaction`UPDATE copied SET id = id + 1000000, journal_id = journal_id + ${place * 1_000_000}`;
            else if (place === 0) await transaction`UPDATE copied SET rank = 3`;
            else
              await transaction`UPDATE copied SET request_id = ${Bun.randomUUIDv7('hex', new Date(february.getTime() - 1))}`;
            await transaction`INSERT INTO ${sql(table)} SELECT * FROM copied`;
          });
          expect(twice).not.toEqual([]);
        }
      }
    });
  }

  test('shows that a line was added which is marked as of an archived charge', async () => {
    for (const requestId of [null, ids[5] ?? '', Bun.randomUUIDv7()]) {
      const problems = await problemsAfter(
        (transaction) => transaction`
          INSERT INTO ledger_lines (id, journal_id, book, account_id, amount_nano, type, description, request_id,
            is_archived_charge, created_at)
          VALUES (9999999, 1, 'wallet', ${accountId}, 5, 'payment', '', ${requestId}, true, ${january})`,
      );
      expect(problems).not.toEqual([]);
    }
  });

  test('shows that its seal was changed', async () => {
    const changes: ((transaction: TransactionSql) => Promise<unknown>)[] = [
      (sql) => sql`UPDATE sealed_accounts SET balance_nano = balance_nano + 1 WHERE month = '2026-01-01'`,
      (sql) => sql`UPDATE sealed_accounts SET end_balance_nano = end_balance_nano + 1 WHERE month = '2026-01-01'`,
      (sql) => sql`UPDATE sealed_accounts SET credited_nano = credited_nano + 1 WHERE month = '2026-01-01'`,
      (sql) => sql`DELETE FROM sealed_accounts WHERE month = '2026-01-01' AND account_id = ${accountId}`,
      (sql) => sql`UPDATE sealed_blocks SET rows = rows + 1 WHERE month = '2026-01-01' AND number = 1`,
      (sql) => sql`UPDATE sealed_blocks SET hash = md5(hash) WHERE month = '2026-01-01' AND number = 1`,
      (sql) => sql`DELETE FROM sealed_blocks WHERE month = '2026-01-01' AND number = 1`,
      (sql) => sql`UPDATE sealed_months SET hash = md5(hash) WHERE month = '2026-01-01'`,
      (sql) => sql`UPDATE sealed_months SET previous_hash = md5(hash) WHERE month = '2026-01-01'`,
      (sql) =>
        sql`UPDATE sealed_months SET columns = jsonb_set(columns, '{events}', '["request_id"]') WHERE month = '2026-01-01'`,
    ];
    for (const change of changes) expect(await problemsAfter(change)).not.toEqual([]);
  });

  test('does not hide what is wrong after it', async () => {
    const found: string[] = [];
    const wrong: ((transaction: TransactionSql) => Promise<unknown>)[] = [
      (sql) =>
        sql`UPDATE accounts SET balance_nano = balance_nano + 1, credited_nano = credited_nano + 1 WHERE id = ${accountId}`,
      (sql) => sql`UPDATE usage_events_2026_06 SET cost_nano = cost_nano + 1`,
      (sql) => sql`DELETE FROM usage_events_2026_06 WHERE wallet_seq = 150`,
      (sql) => sql`UPDATE ledger_lines SET amount_nano = amount_nano + 1 WHERE created_at >= '2026-05-01'`,
      (sql) => sql`UPDATE ledger_lines SET is_archived_charge = true, amount_nano = 7 WHERE created_at >= '2026-05-01'`,
    ];
    for (const change of wrong) {
      const changed = ledger.sql.begin(async (transaction) => {
        await transaction`SET LOCAL session_replication_role = replica`;
        await change(transaction);
        const asPool = Object.assign(transaction.bind(undefined), transaction, {
          begin: (_mode: string, work: (sql: TransactionSql) => Promise<unknown>) => work(transaction),
        });
        found.push(...(await checkBooks(asPool as unknown as Sql, { accountId: undefined })).map(({ kind }) => kind));
        throw undo;
      });
      await expect(changed).rejects.toBe(undo);
    }
    for (const kind of ['balance_wrong', 'request_wrong', 'charge_missing', 'journal_unbalanced'])
      expect(found).toContain(kind);
  });

  describe('and archived', () => {
    const file = 'usage-2026-01.parquet';
    let rows: StoredRow[];
    let balancesBefore: Awaited<ReturnType<typeof balances>>;

    beforeAll(async () => {
      balancesBefore = await balances();
      await countAllLots(ledger.db, { billingTimeZone: 'UTC' });
      const { store } = ledger.archive;
      const archived = await archiveUsage(ledger.sql, { months: 2, store, now: june });
      expect(archived?.map(({ month }) => month)).toEqual(['2026-01-01', '2026-02-01', '2026-03-01']);
      rows = await readFile(store, file);
    });

    /** What is found if the file is replaced by one of these rows, and the database says that this is the file. */
    async function problemsWith(changed: readonly StoredRow[]): Promise<readonly string[]> {
      const { store } = ledger.archive;
      const original = await Array.fromAsync((await store.read(file)) ?? [], (chunk) => Uint8Array.from(chunk));
      const written = await writeChargeFile({ store, name: file }, inGroups(changed));
      try {
        return await problemsAfter(
          (transaction) => transaction`
            UPDATE archived_months SET file_bytes = ${written.bytes}, sha256 = ${written.sha256} WHERE month = '2026-01-01'`,
        );
      } finally {
        const writer = await store.create(file);
        for (const chunk of original) await writer.write(chunk);
        await writer.commit();
      }
    }

    test('is the same, and the books and balances agree with it', async () => {
      for (const month of ['2026-01', '2026-02', '2026-03']) expect(await problemsOf(month)).toEqual([]);
      expect(await violations()).toEqual([]);
      expect(await problemsWith(rows)).toEqual([]);
      const found = await readBalancesAfter(ledger, { accountId, positions });
      expect(found.map(BigInt)).toEqual(balancesBefore.map(({ read }) => read));
    });

    test.each(sealedColumns().events)('shows that its charges were changed (%s)', async (column) => {
      const valued = rows.filter((row) => (row[column] ?? null) !== null);
      if (valued.length === 0) return expect([...emptyOf.events, 'variant', 'images']).toContain(column);
      const chosen = random.pick(valued);
      const changed = rows.map((row) => (row === chosen ? { ...row, [column]: another(row[column]) } : row));
      expect(await problemsWith(changed)).toContainEqual(expect.stringContaining('what was sealed'));
    });

    test('shows that one of its charges is missing, or one too many', async () => {
      for (const chosen of [rows[0], rows.at(-1), random.pick(rows), random.pick(rows)]) {
        if (chosen === undefined) throw new Error('no rows');
        const without = await problemsWith(rows.filter((row) => row !== chosen));
        expect(without).toContainEqual(expect.stringContaining('instead of'));
        for (const copy of [
          { ...chosen, rank: 3 },
          { ...chosen, request_id: Bun.randomUUIDv7('hex', new Date(february.getTime() - 1)) },
        ])
          expect(await problemsWith([...rows, copy])).not.toEqual([]);
      }
    });

    test('shows that its file is another one, cut or gone, without reading it row by row', async () => {
      const { store } = ledger.archive;
      const quick = async () => (await verifyMonth({ ...ledger, readsFiles: false }, '2026-01'))?.problems;
      expect(await quick()).toEqual([]);
      const bytes = Buffer.concat(
        await Array.fromAsync((await store.read(file)) ?? [], (chunk) => Uint8Array.from(chunk)),
      );
      const flipped = Uint8Array.from(bytes);
      const place = random.integer(0, bytes.length - 1);
      flipped[place] = (flipped[place] ?? 0) ^ 1;
      for (const content of [flipped, bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.of(0)])]) {
        const writer = await store.create(file);
        await writer.write(content);
        await writer.commit();
        expect(await quick()).toEqual([expect.stringContaining('is not the file that was archived')]);
        expect(await problemsOf('2026-01')).not.toEqual([]);
      }
      await store.remove(file);
      expect(await quick()).toEqual([`${file} is missing.`]);
      const writer = await store.create(file);
      await writer.write(bytes);
      await writer.commit();
      expect(await quick()).toEqual([]);
    });
  });
});

/** As they were written. */
async function readFile(store: ObjectStore, name: string): Promise<StoredRow[]> {
  const file = await ChargeFile.open(store, { name, bytes: (await store.size(name)) ?? 0 });
  const groups = await Promise.all(file.groups.map((group) => file.rows(group)));
  return groups.flat();
}

async function* inGroups(rows: readonly StoredRow[]) {
  yield rows;
}

function another(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'bigint') return value + 1n;
  if (typeof value === 'number') return value + 1;
  if (Array.isArray(value)) return [...value, 7n];
  const text = String(value);
  return /^[0-9a-f]{8}-/.test(text) ? `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}` : `${text}x`;
}

/** Another value of the same type. */
const changes: Readonly<Record<string, (column: string) => string>> = {
  bigint: (column) => `coalesce("${column}", 0) + 1`,
  'bigint[]': (column) => `"${column}" || 7::bigint`,
  integer: (column) => `coalesce("${column}", 0) + 1`,
  smallint: (column) => `"${column}" + 1`,
  boolean: (column) => `NOT coalesce("${column}", false)`,
  text: (column) => `coalesce("${column}", '') || 'x'`,
  uuid: (column) =>
    `overlay("${column}"::text PLACING CASE right("${column}"::text, 1) WHEN '0' THEN '1' ELSE '0' END FROM 36)::uuid`,
  'timestamp with time zone': (column) => `"${column}" + interval '1 microsecond'`,
};

test('a month that is archived while it is compared with its seal is compared again, in its file', async () => {
  const ledger = await openLedger();
  try {
    const past = { accountId: await ledger.openAccount(), priceVersion: await makePrice(ledger) };
    await makePartitions(ledger.sql, january);
    await bookPast(ledger, { ...past, from: january, count: 30, numbered: 0 });
    // Of the last sealed month, nothing is archived.
    await sealBefore(ledger, new Date('2026-03-01T00:00:00Z'), rowsInBlock);
    await countAllLots(ledger.db, { billingTimeZone: 'UTC' });
    let archived: Promise<unknown> | undefined;
    // It is archived once it was looked for a file, and before its rows are read.
    const sql = new Proxy(ledger.sql, {
      apply: (target, self, parameters) => {
        const query = Reflect.apply(target, self, parameters);
        if (archived !== undefined || !String(parameters[0]).includes('FROM archived_months')) return query;
        archived = query.then(() => archiveUsage(ledger.sql, { months: 2, store: ledger.archive.store, now: june }));
        return Promise.all([query, archived]).then(([rows]) => rows);
      },
    });
    const verified = await verifyMonth({ sql, archive: ledger.archive, readsFiles: true }, '2026-01');
    expect(await archived).toMatchObject([{ month: '2026-01-01', requests: 30 }]);
    expect(verified?.problems).toEqual([]);
  } finally {
    await ledger.close();
  }
});
