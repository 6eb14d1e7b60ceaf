/**
 * Counts an account's ledger lines into its lots, from where the last run ended. The lines of an account are numbered in
 * the order of their commits, because every posting locks the account before it inserts a line. So the lots follow from
 * the ledger alone: what a run that was killed has not committed, the next one counts, and a recount from the beginning
 * gives the same.
 *
 * New lines are looked for near the time of the last one. The sums of the account say whether any were missed there;
 * then all of them are read.
 */
import { sql } from 'drizzle-orm';
import type { Db, DbOrTransaction, Transaction } from '../database/connect.ts';
import { type CatchUpOptions, catchUpLots } from './catch-up-lots.ts';
import {
  type Counting,
  countLine,
  type Line,
  type LotConfig,
  linesAfter,
  linesPerPage,
  nothingCounted,
  type Progress,
  readClosedMonths,
} from './lines.ts';
import { type Lot, LotBook } from './lot-book.ts';
import { readBook, saveBook } from './store-book.ts';

type Counted = Pick<Progress, 'spentNano' | 'credits'>;

/** How far back a line may have been charged in Redis, tried in this order; undefined is any time. */
const windows = ['1 hour', '2 days', undefined] as const;

/**
 * Returns the account's lots as they are now. Locks the account until the transaction ends; after a long time without
 * counting, `catchUpLots` comes first.
 */
export async function countLots(
  transaction: Transaction,
  accountId: number,
  config: LotConfig,
): Promise<readonly Lot[]> {
  const [account] = await transaction.execute<{ spent_nano: string; credit_seq: string }>(
    sql`SELECT spent_nano, credit_seq FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`,
  );
  if (account === undefined) throw new Error(`there is no account ${accountId}`);
  const target = { spentNano: BigInt(account.spent_nano), credits: Number(account.credit_seq) };
  const stored = await readBook(transaction, accountId);
  const from = stored.progress ?? nothingCounted;
  if (agree(from, target)) return stored.book.lots;
  const closed = await readClosedMonths(transaction, accountId);
  for (const window of windows) {
    // Counting starts again from what is stored, so that nothing is counted twice.
    const book = new LotBook(stored.book);
    const progress = await countLines(transaction, { book, closed, config }, { accountId, from, window });
    if (!agree(progress, target)) continue;
    await saveBook(transaction, { accountId, book, knownThrough: from.lineId, progress });
    return book.lots;
  }
  throw new Error(`account ${accountId}: its lines do not sum to the balance of the account`);
}

/** The lots of all accounts whose ledger has moved on. Returns how many accounts were counted. */
export async function countAllLots(db: Db, config: LotConfig, options: CatchUpOptions = {}): Promise<number> {
  const rows = await db.execute<{ id: string }>(sql`
    SELECT accounts.id FROM accounts LEFT JOIN lot_progress AS progress ON progress.account_id = accounts.id
    WHERE accounts.spent_nano <> coalesce(progress.spent_nano, 0)
      OR accounts.credit_seq <> coalesce(progress.credits, 0)
    ORDER BY accounts.id`);
  for (const { id } of rows) {
    await catchUpLots(db, Number(id), config, options);
    await db.transaction((transaction) => countLots(transaction, Number(id), config));
  }
  return rows.length;
}

/** Forgets what was counted; the next run starts from the beginning. Months stay closed. */
export async function forgetLots(transaction: Transaction, accountId: number): Promise<void> {
  await transaction.execute(sql`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`);
  await transaction.execute(
    sql`DELETE FROM lot_parts WHERE lot_line_id IN (SELECT line_id FROM lots WHERE account_id = ${accountId})`,
  );
  await transaction.execute(
    sql`DELETE FROM lot_returns WHERE lot_line_id IN (SELECT line_id FROM lots WHERE account_id = ${accountId})`,
  );
  await transaction.execute(sql`DELETE FROM lots WHERE account_id = ${accountId}`);
  await transaction.execute(sql`DELETE FROM lot_progress WHERE account_id = ${accountId}`);
}

/**
 * Closes a month: its act can be issued, and lines that are booked later count for a later month. Idempotent. The months
 * before it close with it.
 */
export async function closeMonth(
  transaction: Transaction,
  { accountId, month }: { accountId: number; month: string },
  config: LotConfig,
): Promise<void> {
  await countLots(transaction, accountId, config);
  await transaction.execute(sql`
    INSERT INTO closed_months (account_id, month, through_line_id)
    SELECT ${accountId}::bigint, ${month}::date, coalesce((SELECT line_id FROM lot_progress WHERE account_id = ${accountId}), 0)
    ON CONFLICT DO NOTHING`);
}

interface Reading {
  readonly accountId: number;
  readonly from: Progress;
  readonly window: (typeof windows)[number];
}

async function countLines(transaction: DbOrTransaction, counting: Counting, reading: Reading): Promise<Progress> {
  let progress = reading.from;
  for (;;) {
    const lines = await readLines(transaction, reading, progress.lineId);
    for (const line of lines) progress = countLine(line, progress, counting);
    if (lines.length < linesPerPage) return progress;
  }
}

async function readLines(
  transaction: DbOrTransaction,
  { accountId, from, window }: Reading,
  afterId: number,
): Promise<readonly Line[]> {
  const near =
    window === undefined
      ? sql``
      : sql`AND line.created_at > ${from.countedTo.toISOString()}::timestamptz - ${window}::interval`;
  return transaction.execute<Line>(sql`${linesAfter(afterId, { accountId, near })} LIMIT ${linesPerPage}`);
}

function agree(one: Counted, other: Counted): boolean {
  return one.spentNano === other.spentNano && one.credits === other.credits;
}
