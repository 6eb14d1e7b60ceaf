/**
 * What grows with the ledger and what does not: booking into one that is full beside one that is empty, reconciling before and
 * after its months are sealed, sealing, archiving, and reading receipts and pages: `bun run bench:apply --fill 1000000`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { connectDatabase, type Database, scanWaits } from '../../admin/database/connect.ts';
import type { LinePosition } from '../../admin/http/request/page-cursor.ts';
import { archiveUsage } from '../../admin/ledger/archive/archive-usage.ts';
import { UsageArchive } from '../../admin/ledger/archive/usage-archive.ts';
import type { Ledger } from '../../admin/ledger/ledger.ts';
import { listMonths } from '../../admin/ledger/months.ts';
import { listStatement } from '../../admin/ledger/queries/list-transactions.ts';
import { readReceipt } from '../../admin/ledger/queries/read-receipt.ts';
import { readUsage } from '../../admin/ledger/queries/usage/read-usage.ts';
import { sealMonth } from '../../admin/ledger/seals/seal-month.ts';
import { verifyMonth } from '../../admin/ledger/seals/verify-month.ts';
import { countAllLots } from '../../admin/lots/count-lots.ts';
import { checkBooks } from '../../admin/wallets/reconcile/checks/check-books.ts';
import { drain } from './drain.ts';
import { fillLedger } from './fill-ledger.ts';
import { fillStreams } from './fill-streams.ts';
import type { Stores } from './stores.ts';

interface FullLedger {
  readonly charges: number;
  readonly eventCount: number;
  readonly accountCount: number;
  readonly batchMax: number;
}

const months = 18;
const rounds = 3;
const receipts = 200;

/** Returns what is wrong with the books. */
export async function measureFullLedger(stores: Stores, options: FullLedger): Promise<string[]> {
  const copies = [await stores.freshDatabase(), await stores.freshDatabase()] as const;
  const [empty, full] = copies;
  try {
    await timed(`filling with ${options.charges.toLocaleString('en')} charges of ${months} months`, () =>
      fill(full.url, options),
    );
    const urls = { empty: empty.url, full: full.url };
    for (let round = 1; round <= rounds; round += 1) await bookInTurn(stores, options, urls);
    return await measureReading(full.url);
  } finally {
    for (const copy of copies) await copy.drop();
  }
}

async function fill(url: string, { charges, accountCount }: FullLedger): Promise<void> {
  const { sql, close } = connectDatabase(url, { connections: 1, waits: scanWaits });
  await fillLedger(sql, { charges, accounts: accountCount, months });
  const [bytes] = await sql<{ table: string; events: string; totals: string }[]>`
    SELECT pg_size_pretty(sum(pg_total_relation_size(inhrelid))) AS events,
      (SELECT pg_size_pretty(pg_total_relation_size('usage_totals'))) AS totals
    FROM pg_inherits WHERE inhparent IN ('usage_events'::regclass, 'ledger_lines'::regclass)`;
  console.log(`charges ${bytes?.events}, totals ${bytes?.totals}`);
  await close();
}

/** The same charges into both. */
async function bookInTurn(stores: Stores, options: FullLedger, urls: Record<'empty' | 'full', string>): Promise<void> {
  const { eventCount, accountCount, batchMax } = options;
  await fillStreams(stores.redis, { eventCount, accountCount });
  await stores.keepDeliveries();
  for (const [name, databaseUrl] of Object.entries(urls)) {
    await stores.deliver();
    const { seconds } = await drain({ stores, databaseUrl, batchMax, appliers: 1 });
    console.log(`booking, ${name}: ${Math.round(eventCount / seconds).toLocaleString('en')} charges/s`);
  }
}

async function measureReading(url: string): Promise<string[]> {
  const { sql, db, close } = connectDatabase(url, { connections: 2, waits: scanWaits });
  const folder = await mkdtemp(join(tmpdir(), 'gateway-archive-'));
  const archive = new UsageArchive({ kind: 'folder', path: folder });
  const ledger = { sql, db, archive };
  const check = () => checkBooks(sql, { accountId: undefined });
  try {
    const before = await timed('reconciling the books, nothing sealed', check);
    const rows = await sql<RequestRow[]>`
      SELECT request_id, account_id FROM usage_events TABLESAMPLE SYSTEM (1) ORDER BY random() LIMIT ${receipts}`;
    await readReceipts('nothing sealed', ledger, rows);
    await readCharts(sql, 'nothing archived');
    const ended = (await listMonths(sql, ['usage_events'])).filter(({ end }) => end.getTime() < Date.now());
    await timed(`sealing ${ended.length} months`, async () => {
      for (const month of ended) await sealMonth({ sql }, month);
    });
    const first = ended[0]?.month.slice(0, 7) ?? '';
    const verified = await timed(`comparing ${first}`, () => verifyMonth({ ...ledger, readsFiles: true }, first));
    await readReceipts('all but this month sealed', ledger, rows);
    const after = await timed('reconciling the books, all but this month sealed', check);
    return [...before, ...after]
      .map(({ message }) => message)
      .concat(verified?.problems ?? [], await measureArchive(ledger, rows));
  } finally {
    await rm(folder, { recursive: true, force: true });
    await close();
  }
}

type RequestRow = { readonly request_id: string; readonly account_id: string };
type OpenLedger = Ledger & Pick<Database, 'sql'>;

async function readReceipts(when: string, ledger: OpenLedger, rows: readonly RequestRow[]): Promise<void> {
  await timed(`reading ${rows.length} receipts, ${when}`, async () => {
    for (const { request_id: requestId, account_id } of rows)
      await readReceipt(ledger, { requestId, accountId: Number(account_id) });
  });
}

/** Of the account with a third of all charges, as the dashboard shows a year to somebody in Delhi: for the first time, and again. */
async function readCharts(sql: Sql, when: string): Promise<void> {
  await sql`TRUNCATE usage_days`;
  const to = new Date(Math.ceil(Date.now() / 900_000) * 900_000);
  const range = { accountId: 1, from: new Date(to.getTime() - 365 * 86_400_000), to, timeZone: 'Asia/Kolkata' };
  for (const grouping of ['model', 'key'] as const) {
    const groupBy = new Set(['day', grouping] as const);
    for (const time of ['the first time', 'again', 'again']) {
      const read = () => readUsage(sql, { ...range, groupBy, rowsMax: 10_001 });
      await timed(`a year by day and ${grouping}, ${when}, ${time}`, read);
    }
  }
}

/** The receipts, and pages of the account with a third of all charges and of another one, from files. */
async function measureArchive(ledger: OpenLedger, rows: readonly RequestRow[]): Promise<string[]> {
  const { sql, db, archive } = ledger;
  await countAllLots(db, { billingTimeZone: 'UTC' });
  const archived = await timed('archiving', () => archiveUsage(sql, { months: 2, store: archive.store }));
  const bytes = archived?.reduce((sum, { file }) => sum + (file?.bytes ?? 0), 0) ?? 0;
  const requests = archived?.reduce((sum, month) => sum + month.requests, 0) ?? 0;
  console.log(
    `${archived?.length} months, ${requests.toLocaleString('en')} charges, ${(bytes / requests).toFixed(1)} bytes each`,
  );
  const [totals] = await sql<{ bytes: string }[]>`SELECT pg_total_relation_size('archived_totals') AS bytes`;
  console.log(`totals of archived months: ${(Number(totals?.bytes) / requests).toFixed(1)} bytes a charge`);
  await readCharts(sql, 'all but three months archived');
  await readReceipts('all but three months archived', ledger, rows);
  const from = new Date((archived?.[0]?.month ?? '') || 0);
  const to = new Date(from.getTime() + 40 * 86_400_000);
  for (const accountId of [1, 2]) {
    await timed(`20 pages of 100 transactions of account ${accountId}, all archived`, async () => {
      let behind: LinePosition | undefined;
      for (let page = 0; page < 20; page += 1) {
        const filter = { accountId, type: undefined, from, to };
        behind = (await listStatement(ledger, filter, { limit: 100, behind })).end;
      }
    });
  }
  const first = archived?.[0]?.month.slice(0, 7) ?? '';
  const whole = await timed(`comparing ${first}, row by row`, () =>
    verifyMonth({ ...ledger, readsFiles: true }, first),
  );
  const quick = await timed(`comparing ${first}, its file`, () => verifyMonth({ ...ledger, readsFiles: false }, first));
  const books = await timed('reconciling the books, all but three months archived', () =>
    checkBooks(sql, { accountId: undefined }),
  );
  return [...books.map(({ message }) => message), ...(whole?.problems ?? ['not sealed']), ...(quick?.problems ?? [])];
}

async function timed<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const result = await work();
  console.log(`${name}: ${((performance.now() - startedAt) / 1_000).toFixed(2)} s`);
  return result;
}
