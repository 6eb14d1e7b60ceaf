/**
 * Usage of past months moves into the archive, whatever kills the run: nothing is lost, counted twice or unreadable.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePartitions } from '../../../../admin/database/partitions.ts';
import { archiveUsage } from '../../../../admin/ledger/archive/archive-usage.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { readReceipt } from '../../../../admin/ledger/queries/read-receipt.ts';
import { verifyMonth } from '../../../../admin/ledger/seals/verify-month.ts';
import { checkBooks } from '../../../../admin/wallets/reconcile/checks/check-books.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { bookings, chargeOf, openLedger, type TestLedger } from '../ledger.ts';
import { bookPast, makePrice, sealBefore } from '../past-charges.ts';

const january = new Date('2026-01-10T00:00:00Z');
const june = new Date('2026-06-15T00:00:00Z');
const requestsInJanuary = 2_500;
/** At which occurrence of which step. */
const kills: [step: string, times: number][] = [
  ['block', 1],
  ['block', 2],
  ['copied', 1],
  ['written', 1],
  ['dropped', 1],
];

describe.each(bookings)('usage that was booked %s', (_way, options) => {
  let ledger: TestLedger;
  let directory: string;
  let accountId: number;
  let ids: string[];

  async function book(): Promise<void> {
    directory = mkdtempSync(join(tmpdir(), 'archive-'));
    ledger = await openLedger(options);
    accountId = await ledger.openAccount();
    const priceVersion = await makePrice(ledger);
    // January to March, then April to June.
    for (const at of [january, new Date('2026-04-10T00:00:00Z')]) await makePartitions(ledger.sql, at);
    ids = await bookPast(ledger, {
      ...{ accountId, priceVersion },
      from: january,
      count: requestsInJanuary,
      numbered: 0,
    });
    await bookPast(ledger, { ...{ accountId, priceVersion }, from: june, count: 3, numbered: requestsInJanuary });
    await sealBefore(ledger, new Date('2026-05-01T00:00:00Z'));
  }

  async function remove(): Promise<void> {
    await ledger.close();
    rmSync(directory, { recursive: true });
  }

  const archive = () => archiveUsage(ledger.sql, { months: 2, directory, now: june });
  const violations = async () => (await checkBooks(ledger.sql, { accountId: undefined })).map(({ message }) => message);

  async function partitions(): Promise<string[]> {
    const rows = await ledger.sql<{ name: string }[]>`
    SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'usage_events'::regclass ORDER BY 1`;
    return rows.map(({ name }) => name);
  }

  /** What the account's owner reads. */
  const receiptOf = (requestId = '') => readReceipt(ledger.db, { requestId, accountId });

  describe('and archived', () => {
    const receipts = () => Promise.all([receiptOf(ids[0]), receiptOf(ids[1_999]), receiptOf(ids.at(-1))]);
    let violationsBefore: string[];
    let receiptsBefore: Awaited<ReturnType<typeof receipts>>;
    let archived: Awaited<ReturnType<typeof archive>>;
    beforeAll(async () => {
      await book();
      violationsBefore = await violations();
      receiptsBefore = await receipts();
      archived = await archive();
    });
    afterAll(remove);

    test('a month that is old enough leaves its partitions, and the books still agree', async () => {
      expect(violationsBefore).toEqual([]);
      expect(archived?.map(({ month, requests, chargedNano }) => [month, requests, chargedNano])).toEqual([
        ['2026-01-01', requestsInJanuary, BigInt(requestsInJanuary) * 100n],
        ['2026-02-01', 0, 0n],
        ['2026-03-01', 0, 0n],
      ]);
      expect(await partitions()).not.toContain('usage_events_2026_01');
      expect(await partitions()).toContain('usage_events_2026_04');
      expect(await violations()).toEqual([]);
      expect(await archive()).toEqual([]);
    });

    test('a receipt from the archive is unchanged', async () => {
      expect(receiptsBefore[0]).toMatchObject({ event: { costNano: 100n }, estimate: { costNano: 40n } });
      expect(await receipts()).toEqual(receiptsBefore);
      expect(await receiptOf(Bun.randomUUIDv7('hex', january))).toBeUndefined();
      expect(await readReceipt(ledger.db, { requestId: ids[0] ?? '', accountId: accountId + 1 })).toBeUndefined();
    });

    test('the archive file is plain gzip with a valid checksum, and has every request and event', () => {
      const path = join(directory, 'usage-2026-01.jsonl.gz');
      const checked = Bun.spawnSync(['sha256sum', '--check', 'usage-2026-01.jsonl.gz.sha256'], { cwd: directory });
      expect(checked.exitCode).toBe(0);
      const lines = Bun.spawnSync(['zcat', path])
        .stdout.toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines.map(({ head }) => head.request_id)).toEqual(ids);
      expect(lines[0].events.map(({ rank, cost_nano }: Record<string, unknown>) => [rank, cost_nano])).toEqual([
        [1, '40'],
        [2, '100'],
      ]);
      expect(readdirSync(directory).filter((name) => name.endsWith('.part'))).toEqual([]);
    });

    test('a charge of an archived request is refused and stored, not booked again', async () => {
      const late = chargeOf(accountId, { requestId: ids[3] ?? '' });
      const { applied, unknown } = await applyCharges(ledger.sql, [
        late,
        chargeOf(accountId, { walletSeq: null, walletSpentNano: null }),
      ]);
      expect([applied, unknown]).toEqual([1, [late]]);
    });

    test('the archive itself cannot be changed', async () => {
      await expect(ledger.sql`DELETE FROM archived_usage`.execute()).rejects.toThrow('refuses DELETE');
      await expect(ledger.sql`UPDATE archived_usage SET requests = 0`.execute()).rejects.toThrow('refuses UPDATE');
      await expect(ledger.sql`DELETE FROM archived_months`.execute()).rejects.toThrow('refuses DELETE');
    });
  });

  describe('and not archived yet', () => {
    beforeEach(book);
    afterEach(remove);

    test('a line of the ledger that is changed later contradicts the archive', async () => {
      await archive();
      await ledger.sql.begin(async (transaction) => {
        await transaction`SET LOCAL session_replication_role = replica`;
        await transaction`UPDATE ledger_lines SET amount_nano = -101 WHERE request_id = ${ids[7] ?? ''}`;
      });
      const { problems } = (await verifyMonth(ledger.sql, '2026-01')) ?? {};
      expect(problems).toContainEqual(expect.stringMatching(/not what was sealed|the archive has/));
    });

    test('a month whose copy differs from its partition stays where it is', async () => {
      await ledger.sql.begin(async (transaction) => {
        await transaction`SET LOCAL session_replication_role = replica`;
        await transaction`UPDATE usage_events SET cost_nano = 99 WHERE request_id = ${ids[9] ?? ''}`;
        await transaction`UPDATE usage_requests SET charged_nano = 99 WHERE request_id = ${ids[9] ?? ''}`;
      });
      await expect(archive()).rejects.toThrow('their lines');
      expect(await partitions()).toContain('usage_events_2026_01');
    });

    test.each(
      inCampaign(
        options.compact ? kills.slice(1, 3) : kills.slice(3),
        kills,
        options.compact ? [...kills.slice(0, 1), ...kills.slice(3)] : kills.slice(0, 3),
      ),
    )('a run that is killed at step %s (%i) is continued by the next one (campaign)', async (step, times) => {
      const script = join(import.meta.dir, 'killed-run.ts');
      const args = [ledger.url, directory, june.toISOString(), step, String(times)];
      const child = Bun.spawn([process.execPath, script, ...args], { stdout: 'ignore', stderr: 'inherit' });
      await child.exited;
      expect(child.signalCode).toBe('SIGKILL');
      expect((await receiptOf(ids[1_234]))?.event.costNano).toBe(100n);
      // Postgres notices the lost connection, whose lock it holds, in its own time.
      await waitFor('the end of the killed run', guardTimeoutMs, archive);
      expect(await violations()).toEqual([]);
      const [sums] = await ledger.sql<{ requests: string; events: string; charged: string }[]>`
    SELECT sum(requests) AS requests, sum(events) AS events, sum(charged_nano) AS charged FROM archived_usage`;
      expect(sums).toEqual({
        requests: String(requestsInJanuary),
        events: String(requestsInJanuary + 1),
        charged: String(requestsInJanuary * 100),
      });
      expect(await partitions()).not.toContain('usage_events_2026_01');
      const text = readFileSync(join(directory, 'usage-2026-01.jsonl.gz.sha256'), 'utf8');
      const [month] = await ledger.sql<
        { sha256: string }[]
      >`SELECT sha256 FROM archived_months WHERE month = '2026-01-01'`;
      expect(text).toStartWith(month?.sha256 ?? '-');
    });
  });
});
