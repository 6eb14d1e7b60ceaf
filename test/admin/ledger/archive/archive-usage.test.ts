/**
 * Charges of past months move into files, whatever kills the run: nothing is lost, and nothing that anyone reads of them changes.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { archiveUsage } from '../../../../admin/ledger/archive/archive-usage.ts';
import { UsageArchive } from '../../../../admin/ledger/archive/usage-archive.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { listMonths } from '../../../../admin/ledger/months.ts';
import { listTransactions } from '../../../../admin/ledger/queries/list-transactions.ts';
import { readReceipt } from '../../../../admin/ledger/queries/read-receipt.ts';
import { verifyMonth } from '../../../../admin/ledger/seals/verify-month.ts';
import { packDue } from '../../../../admin/ledger/totals/keep-packed.ts';
import { countAllLots } from '../../../../admin/lots/count-lots.ts';
import { checkBooks } from '../../../../admin/wallets/reconcile/checks/check-books.ts';
import { purgeKeys } from '../../../../admin/workers/purge-expired.ts';
import { EnvironmentReader } from '../../../../shared/config/environment.ts';
import { readObjectPlace } from '../../../../shared/config/object-place.ts';
import type { ByteRange, ObjectStore, ObjectWriter } from '../../../../shared/objects/object-store.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { SeededRandom } from '../../../harness/seeded-random.ts';
import { startS3Server } from '../../../harness/storage/s3-server.ts';
import { bookings, chargeOf, type TestLedger } from '../ledger.ts';
import { bookPast, makePrice, sealBefore } from '../past-charges.ts';
import { archiveInBlocks } from './blocks-of-earlier-version.ts';
import { bookGenerated, january, june, openMonths } from './generated-charges.ts';
import { readEverything } from './read-everything.ts';

const seed = Number(process.env.SEED ?? 20_261_129);

const violations = async ({ sql }: TestLedger) =>
  (await checkBooks(sql, { accountId: undefined })).map(({ message }) => message);

/** Fails at one kind of call, or changes what it is given. */
class FaultyStore implements ObjectStore {
  readonly #store: ObjectStore;
  readonly #fault: string;
  readonly #random: SeededRandom;

  constructor(store: ObjectStore, fault: string, random: SeededRandom) {
    this.#store = store;
    this.#fault = fault;
    this.#random = random;
  }

  async create(name: string): Promise<ObjectWriter> {
    this.#fail('create');
    const writer = await this.#store.create(name);
    const chunks: Uint8Array[] = [];
    return {
      write: async (chunk) => {
        this.#fail('write');
        chunks.push(Uint8Array.from(chunk));
      },
      commit: async () => {
        this.#fail('commit');
        await writer.write(this.#changed(Buffer.concat(chunks)));
        await writer.commit();
      },
      abort: () => writer.abort(),
    };
  }

  async read(name: string) {
    this.#fail('read');
    return this.#store.read(name);
  }

  async readRange(name: string, range: ByteRange) {
    this.#fail('readRange');
    return this.#store.readRange(name, range);
  }

  size = (name: string) => this.#store.size(name);
  list = (prefix: string) => this.#store.list(prefix);
  remove = (name: string) => this.#store.remove(name);
  tidy = () => this.#store.tidy();

  #fail(call: string): void {
    if (call === this.#fault) throw new Error('the storage has failed');
  }

  #changed(bytes: Uint8Array): Uint8Array {
    const place = this.#random.integer(0, bytes.length - 1);
    if (this.#fault === 'cut') return bytes.subarray(0, place);
    if (this.#fault === 'flip') bytes[place] = (bytes[place] ?? 0) ^ (1 << this.#random.integer(0, 7));
    return bytes;
  }
}

/** At which occurrence of which step. */
const killed: [step: string, times: number][] = [
  ['group', 1],
  ['written', 1],
  ['compared', 1],
  ['totals', 1],
  ['dropped', 1],
];
const kindsOfPlace: readonly ('folder' | 's3')[] = ['folder', 's3'];
const kindOfPlace = (isCompact: boolean): readonly (typeof kindsOfPlace)[number][] => [isCompact ? 's3' : 'folder'];
const histories = inCampaign(1, 8, 2);

describe.each(bookings)('charges that were booked %s', (_way, options) => {
  test.each(inCampaign(kindOfPlace(options.compact), kindsOfPlace, kindOfPlace(!options.compact)))(
    'read the same once they are in a %s, in every list, page, receipt and balance (campaign)',
    async (kind) => {
      for (let history = 0; history < histories; history += 1) {
        const random = new SeededRandom(seed + history);
        const bucket = startS3Server();
        const ledger = await openMonths(options);
        try {
          const place = readObjectPlace(new EnvironmentReader({ ARCHIVE_S3_URL: bucket.url }), 'ARCHIVE');
          const { store } = kind === 's3' ? new UsageArchive(place) : ledger.archive;
          const archive = kind === 's3' ? new UsageArchive(place, { rowsInTurn: 7 }) : ledger.archive;
          const booked = await bookGenerated(ledger, random, 90);
          await sealBefore(ledger, new Date(random.pick(['2026-05-01T00:00:00Z', '2026-06-01T00:00:00Z'])), 25);
          const { db, sql } = ledger;
          const ask = () => readEverything({ db, sql, archive }, booked, new SeededRandom(seed - history));
          const before = await ask();
          const totals = {
            inPart: random.pickIfAny([undefined, 1, 2, 7]),
            atOnce: random.pickIfAny([undefined, 1, 12]),
          };
          for (const day of options.compact ? [random.integer(20, 80), random.integer(80, 200)] : []) {
            const now = new Date(january.getTime() + day * 86_400_000);
            expect(await packDue(sql, { now, min: random.pick([1, 3]), ...totals })).toBe(true);
            expect(await ask()).toEqual(before);
          }
          await countAllLots(ledger.db, { billingTimeZone: 'UTC' });
          const archived = await archiveUsage(ledger.sql, {
            months: 2,
            store,
            now: june,
            rowsInGroup: random.integer(4, 40),
            totals,
          });
          expect(archived?.map(({ month }) => month)).toEqual(['2026-01-01', '2026-02-01', '2026-03-01']);
          expect(await ask()).toEqual(before);
          for (const month of ['2026-01', '2026-02', '2026-03', '2026-04'])
            expect((await verifyMonth({ sql: ledger.sql, archive, readsFiles: true }, month))?.problems).toEqual([]);
          expect(await violations(ledger)).toEqual([]);
          await sql`UPDATE api_keys SET deleted_at = now()`;
          expect(await purgeKeys(sql, new Date('2100-01-01T00:00:00Z'))).toBe(0);
        } finally {
          await ledger.close();
          await bucket.stop();
        }
      }
    },
  );

  describe('in months of which two are archived', () => {
    let ledger: TestLedger;
    let accountId: number;
    let ids: string[];

    beforeAll(async () => {
      ledger = await openMonths(options);
      accountId = await ledger.openAccount();
      const past = { accountId, priceVersion: await makePrice(ledger) };
      ids = await bookPast(ledger, { ...past, from: january, count: 300, numbered: 0 });
      await bookPast(ledger, { ...past, from: june, count: 3, numbered: 300 });
      await sealBefore(ledger, new Date('2026-05-01T00:00:00Z'));
    });
    afterAll(() => ledger.close());

    const archive = () => archiveUsage(ledger.sql, { months: 2, store: ledger.archive.store, now: june });
    const partitions = async () =>
      (
        await ledger.sql<{ name: string }[]>`
          SELECT inhrelid::regclass::text AS name FROM pg_inherits
          WHERE inhparent = ANY(ARRAY['usage_events', 'usage_requests']::regclass[]) ORDER BY 1`
      ).map(({ name }) => name);

    test('wait until they are counted into lots', async () => {
      if (options.compact) await expect(archive()).rejects.toThrow('the lots of 1 account are not counted');
      await countAllLots(ledger.db, { billingTimeZone: 'UTC' });
    });

    test('leave Postgres with their lines, for one file a month', async () => {
      expect(await violations(ledger)).toEqual([]);
      expect((await archive())?.map(({ month, requests, chargedNano }) => [month, requests, chargedNano])).toEqual([
        ['2026-01-01', 300, 30_000n],
        ['2026-02-01', 0, 0n],
        ['2026-03-01', 0, 0n],
      ]);
      const left = await partitions();
      for (const name of ['usage_events_2026_01', 'usage_requests_2026_01', 'usage_events_2026_03'])
        expect(left).not.toContain(name);
      expect(left).toContain('usage_events_2026_04');
      expect(await ledger.archive.store.list('usage-')).toEqual(['usage-2026-01.parquet']);
      const [lines] = await ledger.sql`
        SELECT count(*)::int AS count FROM ledger_lines WHERE book = 'wallet' AND request_id = ANY(${ids}::uuid[])`;
      expect(lines?.count).toBe(options.compact ? 0 : 301);
      const [totals] = await ledger.sql`
        SELECT count(*)::int AS rows, (
          SELECT count(*)::int FROM usage_totals WHERE bucket_15m < '2026-04-01T00:00:00Z'
        ) AS left FROM archived_totals`;
      expect(totals).toEqual({ rows: 1, left: 0 });
      expect(await violations(ledger)).toEqual([]);
      expect(await archive()).toEqual([]);
    });

    test('are refused if they come once more, and stored with what cannot be booked', async () => {
      const late = chargeOf(accountId, { requestId: ids[3] ?? '' });
      const inTime = chargeOf(accountId, { walletSeq: null, walletSpentNano: null });
      const { applied, unknown } = await applyCharges(ledger.sql, [late, inTime]);
      expect([applied, unknown]).toEqual([1, [late]]);
    });

    test('what was archived cannot be changed', async () => {
      for (const table of ['archived_months', 'archived_journals', 'archived_totals'])
        await expect(ledger.sql`DELETE FROM ${ledger.sql(table)}`.execute()).rejects.toThrow('refuses DELETE');
      await expect(ledger.sql`UPDATE archived_months SET sha256 = ''`.execute()).rejects.toThrow('never changed');
    });

    test('are refused with a code while their place is unknown, is silent, or lacks their file', async () => {
      const missing = new UsageArchive({ kind: 'folder', path: '/nonexistent' });
      using server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
      const url = `http://key:secret@127.0.0.1:${server.port}/bucket`;
      const place = readObjectPlace(new EnvironmentReader({ ARCHIVE_S3_URL: url }), 'ARCHIVE');
      const silent = new UsageArchive(place, { timeoutMs: 200 });
      for (const archive of [new UsageArchive(undefined), missing, silent]) {
        const without = { db: ledger.db, archive };
        const all = { accountId, type: undefined, from: undefined, to: undefined };
        for (const asked of [
          () => readReceipt(without, { requestId: ids[5] ?? '', accountId }),
          () => listTransactions(without, all, { limit: 100, offset: 0 }),
        ]) {
          await expect(asked()).rejects.toMatchObject({ code: 'archive_unavailable' });
        }
        // What is not in the archive is read as before.
        expect(await listTransactions(without, all, { limit: 3, offset: 0 })).toHaveLength(3);
        expect(await readReceipt(without, { requestId: Bun.randomUUIDv7(), accountId })).toBeUndefined();
      }
    });
  });

  describe('and not archived yet', () => {
    let ledger: TestLedger;
    let accountId: number;
    let ids: string[];

    beforeEach(async () => {
      ledger = await openMonths(options);
      accountId = await ledger.openAccount();
      const past = { accountId, priceVersion: await makePrice(ledger) };
      ids = await bookPast(ledger, { ...past, from: january, count: 200, numbered: 0 });
      await sealBefore(ledger, new Date('2026-05-01T00:00:00Z'));
      await countAllLots(ledger.db, { billingTimeZone: 'UTC' });
    });
    afterEach(() => ledger.close());

    const archive = () => archiveUsage(ledger.sql, { months: 2, store: ledger.archive.store, now: june });
    const isThere = async () =>
      (await ledger.sql`SELECT to_regclass('usage_events_2026_01') IS NOT NULL AS there`)[0]?.there;

    test('stay where they are if they are not what was sealed, or not what their lines say', async () => {
      const [ofLines, message] = options.compact
        ? ['booked_nano', 'their lines']
        : ['cost_nano', 'not what was sealed'];
      for (const [column, expected] of [
        ['completion_tokens', 'not what was sealed'],
        [ofLines, message],
      ] as const) {
        await ledger.sql.begin(async (transaction) => {
          await transaction`SET LOCAL session_replication_role = replica`;
          await transaction`
            UPDATE usage_events SET ${transaction(column)} = ${transaction(column)} + 1 WHERE request_id = ${ids[9] ?? ''}`;
        });
        await expect(archive()).rejects.toThrow(expected);
        expect(await isThere()).toBe(true);
      }
    });

    test('stay where they are while their storage fails, or stores something else than was written', async () => {
      const random = new SeededRandom(seed);
      const { store } = ledger.archive;
      const fault = (name: string) =>
        archiveUsage(ledger.sql, { months: 2, store: new FaultyStore(store, name, random), now: june });
      for (const name of ['create', 'write', 'commit', 'read', 'readRange']) {
        await expect(fault(name)).rejects.toThrow('the storage has failed');
        expect(await isThere()).toBe(true);
      }
      for (let changes = 0; changes < 10; changes += 1) {
        await expect(fault(random.pick(['flip', 'cut']))).rejects.toThrow('is not the file that was archived');
        expect(await isThere()).toBe(true);
      }
      expect((await archive())?.[0]?.requests).toBe(ids.length);
    });

    test.each(
      inCampaign(
        options.compact ? killed.slice(0, 2) : killed.slice(2),
        killed,
        options.compact ? killed.slice(2) : killed.slice(0, 2),
      ),
    )(
      'are all there after a run that was killed at step %s, and the next one continues (campaign)',
      async (step, times) => {
        const args = [ledger.url, ledger.archivePath, june.toISOString(), step, String(times)];
        const child = Bun.spawn([process.execPath, `${import.meta.dir}/killed-run.ts`, ...args], {
          stdout: 'ignore',
          stderr: 'inherit',
        });
        await child.exited;
        expect(child.signalCode).toBe('SIGKILL');
        const costOf = async (id = '') => (await readReceipt(ledger, { requestId: id, accountId }))?.event.costNano;
        expect(await costOf(ids[123])).toBe(100n);
        // Postgres notices the lost connection, whose lock it holds, in its own time.
        await waitFor('the end of the killed run', guardTimeoutMs, archive);
        expect([await isThere(), await costOf(ids[123]), await costOf(ids[0])]).toEqual([false, 100n, 100n]);
        expect(await violations(ledger)).toEqual([]);
        expect((await verifyMonth({ ...ledger, readsFiles: true }, '2026-01'))?.problems).toEqual([]);
      },
    );
  });

  test('are archived after a run of an earlier version that has left blocks of them, and ended there', async () => {
    const ledger = await openMonths(options);
    try {
      const booked = await bookGenerated(ledger, new SeededRandom(seed), 30);
      await sealBefore(ledger, new Date('2026-05-01T00:00:00Z'));
      const [requestId = ''] = booked.requestIds;
      await ledger.sql`
        INSERT INTO archived_months (month, from_id, until_id)
        SELECT month, from_id, until_id FROM sealed_months WHERE month = '2026-01-01'`;
      await ledger.sql`
        INSERT INTO archived_usage (first_id, last_id, month, requests, events, charged_nano, content)
        VALUES (${requestId}, ${requestId}, '2026-01-01', 1, 1, 0, ${Buffer.from(Bun.gzipSync(Buffer.from('')))})`;
      await countAllLots(ledger.db, { billingTimeZone: 'UTC' });
      expect(await archiveUsage(ledger.sql, { months: 2, store: ledger.archive.store, now: june })).toHaveLength(3);
      expect((await verifyMonth({ ...ledger, readsFiles: true }, '2026-01'))?.problems).toEqual([]);
      expect(await violations(ledger)).toEqual([]);
    } finally {
      await ledger.close();
    }
  });

  test('read the same where an earlier version has archived them in blocks, and changes show', async () => {
    const ledger = await openMonths(options);
    try {
      const booked = await bookGenerated(ledger, new SeededRandom(seed), 60);
      await sealBefore(ledger, new Date('2026-05-01T00:00:00Z'));
      const receipts = () =>
        Promise.all(booked.requestIds.map(async (requestId) => readReceipt(ledger, { requestId })));
      const statement = async () => {
        const [accountId = 0] = booked.accountIds;
        const all = { accountId, type: undefined, from: undefined, to: undefined };
        return listTransactions(ledger, all, { limit: 100, offset: 0 });
      };
      const before = [await receipts(), await statement()];
      const [month] = await listMonths(ledger.sql, ['usage_events']);
      if (month === undefined) throw new Error('no month');
      await archiveInBlocks(ledger.sql, month);
      expect([await receipts(), await statement()]).toEqual(before);
      expect(await violations(ledger)).toEqual([]);
      const problems = async () => (await verifyMonth({ ...ledger, readsFiles: true }, '2026-01'))?.problems;
      expect(await problems()).toEqual([]);
      await ledger.sql.begin(async (transaction) => {
        await transaction`SET LOCAL session_replication_role = replica`;
        await transaction`UPDATE ledger_lines SET amount_nano = amount_nano - 1 WHERE type = 'usage' AND book = 'wallet'
          AND request_id >= ${month.fromId} AND request_id < ${month.untilId}`;
      });
      expect(await problems()).not.toEqual([]);
    } finally {
      await ledger.close();
    }
  });
});
