/**
 * Moves the charges of a sealed month out of Postgres: writes them to a file, compares every row of the file with the seal, and only
 * then drops their partitions. A run that was killed at any point is repeated by the next one.
 *
 * Invariant: a charge is in its partition or in a file that was compared, and its receipt can be read throughout.
 */
import type { Sql, TransactionSql } from 'postgres';
import { counted } from '../../../shared/counted.ts';
import type { ObjectStore } from '../../../shared/objects/object-store.ts';
import { withShortLock } from '../../database/short-lock.ts';
import type { LedgerMonth } from '../months.ts';
import { FileEvents } from '../seals/file-events.ts';
import { type OpenMonths, readOpenMonths } from '../seals/open-months.ts';
import { readBlocks, readSeals } from '../seals/seal.ts';
import { problemsOfRows } from '../seals/verify-month.ts';
import { type Packing, packTotals } from '../totals/pack-totals.ts';
import { ChargeFile } from './file/charge-file.ts';
import { readSorted, type WrittenFile, writeChargeFile } from './file/write-charge-file.ts';
import { type MonthFile, problemOfFile } from './find-file.ts';

export interface ArchivedMonth {
  /** Its first day. */
  readonly month: string;
  readonly requests: number;
  readonly chargedNano: bigint;
  /** Undefined if nothing was charged for its requests. */
  readonly file: (WrittenFile & { readonly name: string }) | undefined;
}

/** What tests end the run at. */
type OnStep = (step: 'group' | 'written' | 'compared' | 'totals' | 'dropped') => void;

export interface ArchiveWork {
  readonly sql: Sql;
  readonly store: ObjectStore;
  readonly onStep?: OnStep;
  readonly rowsInGroup?: number | undefined;
  readonly totals?: Packing;
}

interface MonthSums {
  readonly requests: number;
  readonly events: number;
  readonly chargedNano: bigint;
  readonly firstAt: string | null;
  readonly lastAt: string | null;
}

export async function archiveMonth(
  { sql, store, onStep = () => {}, rowsInGroup, totals }: ArchiveWork,
  month: LedgerMonth,
): Promise<ArchivedMonth> {
  await requireCountedLots(sql, month);
  await sql`
    INSERT INTO archived_months (month, from_id, until_id) VALUES (${month.month}, ${month.fromId}, ${month.untilId})
    ON CONFLICT DO NOTHING`;
  const sums = await sumTables(sql, month);
  const file = sums.events === 0 ? undefined : await writeFile({ sql, store, onStep, rowsInGroup }, month);
  await packTotals(sql, month, totals);
  onStep('totals');
  const open = await readOpenMonths(sql);
  await sql.begin(async (transaction) => {
    // Once, however long the lock has to be waited for.
    await keepOpenJournals(transaction, month, open);
    await withShortLock(transaction, (inside) => finish(inside, month, { sums, file }));
  });
  onStep('dropped');
  return { month: month.month, requests: sums.requests, chargedNano: sums.chargedNano, file };
}

async function writeFile(
  { sql, store, onStep, rowsInGroup }: Required<Omit<ArchiveWork, 'totals'>>,
  month: LedgerMonth,
): Promise<NonNullable<ArchivedMonth['file']>> {
  const name = `usage-${month.month.slice(0, 7)}.parquet`;
  const written = await writeChargeFile(
    { store, name, onGroup: () => onStep('group') },
    readSorted(sql, month, rowsInGroup),
  );
  onStep('written');
  await compare({ sql, store }, month, { name, ...written });
  onStep('compared');
  return { name, ...written };
}

/** Roubles of usage are counted from the lines, in their order, and from no file. */
async function requireCountedLots(sql: Sql, { month, events }: LedgerMonth): Promise<void> {
  const [behind] = await sql<{ accounts: number }[]>`
    SELECT count(*)::int AS accounts FROM (
      SELECT account_id, max(line_id) AS last FROM ${sql(events)} WHERE journal_id IS NOT NULL GROUP BY account_id
    ) AS charged LEFT JOIN lot_progress AS progress USING (account_id)
    WHERE coalesce(progress.line_id, 0) < charged.last`;
  const accounts = behind?.accounts ?? 0;
  if (accounts > 0) throw new Error(`the lots of ${counted(accounts, 'account')} are not counted up to ${month} yet`);
}

/** Throws if what requests were charged is not what their lines say. */
async function sumTables(sql: Sql, { month, fromId, untilId, events }: LedgerMonth): Promise<MonthSums> {
  const [row] = await sql<{ requests: string; charged: string; booked: string }[]>`
    SELECT count(*) AS requests, coalesce(sum(charged_nano), 0) AS charged, (
      SELECT coalesce(-sum(amount_nano), 0) FROM journal_lines
      WHERE book = 'wallet' AND type = 'usage' AND request_id >= ${fromId} AND request_id < ${untilId}
    ) AS booked
    FROM charged_requests WHERE request_id >= ${fromId} AND request_id < ${untilId}`;
  const [times] = await sql<{ events: string; first: string | null; last: string | null }[]>`
    SELECT count(*) AS events, min(charged_at)::text AS first, max(charged_at)::text AS last FROM ${sql(events)}`;
  if (row === undefined || times === undefined) throw new Error(`${month} has no sums`);
  if (row.charged !== row.booked)
    throw new Error(`the requests of ${month} cost ${row.charged}, their lines ${row.booked}`);
  const { first: firstAt, last: lastAt } = times;
  return {
    requests: Number(row.requests),
    events: Number(times.events),
    chargedNano: BigInt(row.charged),
    firstAt,
    lastAt,
  };
}

/** Throws if the file is not what was written, or its rows not what was sealed: then nothing is dropped. */
async function compare(
  { sql, store }: Pick<ArchiveWork, 'sql' | 'store'>,
  month: LedgerMonth,
  written: MonthFile,
): Promise<void> {
  const changed = await problemOfFile(store, written, undefined);
  if (changed !== undefined) throw new Error(changed);
  const file = await ChargeFile.open(store, written);
  const seal = (await readSeals(sql)).find(({ month: { month: name } }) => name === month.month);
  if (seal === undefined || seal.hash === null) throw new Error(`${month.month} is not sealed`);
  const blocks = (await readBlocks(sql, month)).filter(({ part }) => part === 'events');
  const rows = new FileEvents({ file, blocks, columns: seal.columns.events, end: month.end });
  const [problem] = await problemsOfRows({ parts: [rows], blocks, signal: undefined });
  if (problem !== undefined) throw new Error(`${file.name} is not what was sealed. ${problem}`);
}

/** A journal that was booked late has lines in a month that is checked line by line. */
async function keepOpenJournals(sql: TransactionSql, { month, events }: LedgerMonth, open: OpenMonths): Promise<void> {
  await sql`
    INSERT INTO archived_journals (journal_id, month, amount_nano)
    SELECT journal_id, ${month}, -sum(booked_nano) FROM ${sql(events)} AS event
    WHERE journal_id IS NOT NULL GROUP BY journal_id
    HAVING EXISTS (
      SELECT FROM ledger_lines AS line WHERE line.journal_id = event.journal_id AND created_at >= ${open.from}::text::timestamptz
    )`;
}

async function finish(
  transaction: TransactionSql,
  { month, heads, events }: LedgerMonth,
  { sums, file }: { readonly sums: MonthSums; readonly file: ArchivedMonth['file'] },
): Promise<void> {
  await transaction`
    UPDATE archived_months SET requests = ${sums.requests}, events = ${sums.events},
      charged_nano = ${String(sums.chargedNano)}, first_charged_at = ${sums.firstAt}, last_charged_at = ${sums.lastAt},
      file = ${file?.name ?? null}, file_bytes = ${file?.bytes ?? null}, sha256 = ${file?.sha256 ?? null},
      finished_at = now()
    WHERE month = ${month}`;
  for (const [parent, name] of [
    ['usage_events', events],
    ['usage_requests', heads],
  ] as const) {
    await transaction`ALTER TABLE ${transaction(parent)} DETACH PARTITION ${transaction(name)}`;
    await transaction`DROP TABLE ${transaction(name)}`;
  }
}
