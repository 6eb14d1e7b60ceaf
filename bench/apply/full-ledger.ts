/**
 * What grows with the ledger and what does not: booking into one that is full beside one that is empty, reconciling before and
 * after its months are sealed, sealing, and reading receipts: `bun run bench:apply --fill 1000000`.
 */
import { connectDatabase, scanWaits } from '../../admin/database/connect.ts';
import { listMonths } from '../../admin/ledger/months.ts';
import { readReceipt } from '../../admin/ledger/queries/read-receipt.ts';
import { sealMonth } from '../../admin/ledger/seals/seal-month.ts';
import { verifyMonth } from '../../admin/ledger/seals/verify-month.ts';
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
  const { sql, db, close } = connectDatabase(url, { connections: 1, waits: scanWaits });
  const check = () => checkBooks(sql, { accountId: undefined });
  try {
    const before = await timed('reconciling the books, nothing sealed', check);
    const rows = await sql<{ request_id: string; account_id: string }[]>`
      SELECT request_id, account_id FROM usage_events TABLESAMPLE SYSTEM (1) ORDER BY random() LIMIT ${receipts}`;
    const readAll = async () => {
      for (const { request_id: requestId, account_id } of rows)
        await readReceipt(db, { requestId, accountId: Number(account_id) });
    };
    await timed(`reading ${rows.length} receipts, nothing sealed`, readAll);
    const ended = (await listMonths(sql, ['usage_events'])).filter(({ end }) => end.getTime() < Date.now());
    await timed(`sealing ${ended.length} months`, async () => {
      for (const month of ended) await sealMonth({ sql }, month);
    });
    const [last] = ended.slice(-1);
    const verified = await timed('comparing the last one', () => verifyMonth(sql, last?.month.slice(0, 7) ?? ''));
    await timed(`reading ${rows.length} receipts, all but this month sealed`, readAll);
    const after = await timed('reconciling the books, all but this month sealed', check);
    return [...before, ...after].map(({ message }) => message).concat(verified?.problems ?? []);
  } finally {
    await close();
  }
}

async function timed<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const result = await work();
  console.log(`${name}: ${((performance.now() - startedAt) / 1_000).toFixed(2)} s`);
  return result;
}
