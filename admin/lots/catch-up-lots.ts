/**
 * Counts a long history page by page: the account is locked for one page at a time, so its charges are booked in between.
 * What one snapshot shows of an account is a beginning of its lines without a gap, for the reason given in count-lots.ts.
 * So after each page, counting can continue as if nothing followed, and a run that was killed has lost one page.
 */
import { sql } from 'drizzle-orm';
import { subjectOf } from '../database/advisory-locks.ts';
import type { Db } from '../database/connect.ts';
import {
  countLine,
  type Line,
  type LotConfig,
  linesAfter,
  linesPerPage,
  nothingCounted,
  type Progress,
  readClosedMonths,
} from './lines.ts';
import { LotBook } from './lot-book.ts';
import { readBook, saveBook } from './store-book.ts';

export interface CatchUpOptions {
  readonly signal?: AbortSignal;
  /** Reads the lines: sorting millions of them takes longer than other statements may. */
  readonly scans?: Db;
}

interface Page {
  readonly accountId: number;
  readonly from: Progress;
  readonly lines: readonly Line[];
  readonly config: LotConfig;
}

/** What may be counted while the account is locked: about a second's work. */
const linesLockedMax = 100_000;

/** Leaves what has been booked since it began, and an account with less than that to count, to `countLots`. */
export async function catchUpLots(
  db: Db,
  accountId: number,
  config: LotConfig,
  { signal, scans = db }: CatchUpOptions = {},
): Promise<void> {
  signal?.throwIfAborted();
  if (!(await isFarBehind(db, accountId))) return;
  await scans.transaction(async (reader) => {
    // Another replica would do the same work.
    await reader.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${subjectOf('lots', accountId)}, 0))`);
    let from = await readProgress(db, accountId);
    await reader.execute(sql`DECLARE lines NO SCROLL CURSOR FOR ${linesAfter(from.lineId, { accountId })}`);
    for (;;) {
      signal?.throwIfAborted();
      const lines = await reader.execute<Line>(sql`FETCH ${sql.raw(String(linesPerPage))} FROM lines`);
      if (lines.length === 0) return;
      const counted = await countPage(db, { accountId, from, lines, config });
      if (counted === undefined) return;
      from = counted;
    }
  });
}

async function isFarBehind(db: Db, accountId: number): Promise<boolean> {
  const { lineId, countedTo } = await readProgress(db, accountId);
  const [row] = await db.execute<{ lines: string }>(sql`
    SELECT count(*) AS lines FROM (
      SELECT FROM journal_lines WHERE account_id = ${accountId} AND id > ${lineId}
        AND created_at > ${countedTo.toISOString()}::timestamptz - interval '1 hour'
      LIMIT ${linesLockedMax + 1}
    ) AS uncounted`);
  return Number(row?.lines) > linesLockedMax;
}

async function readProgress(db: Db, accountId: number): Promise<Progress> {
  return (await readBook(db, accountId)).progress ?? nothingCounted;
}

/** Undefined if another process has counted in the meantime. */
async function countPage(db: Db, { accountId, from, lines, config }: Page): Promise<Progress | undefined> {
  return db.transaction(async (transaction) => {
    await transaction.execute(sql`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`);
    const stored = await readBook(transaction, accountId);
    if ((stored.progress ?? nothingCounted).lineId !== from.lineId) return undefined;
    const book = new LotBook(stored.book);
    const counting = { book, closed: await readClosedMonths(transaction, accountId), config };
    const progress = lines.reduce((before, line) => countLine(line, before, counting), from);
    await saveBook(transaction, { accountId, book, knownThrough: from.lineId, progress });
    return progress;
  });
}
