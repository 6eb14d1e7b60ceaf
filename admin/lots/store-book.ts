/** Reads and writes the lots of an account. What a run has changed is added to the parts that are stored. */
import { eq } from 'drizzle-orm';
import type { TransactionSql } from 'postgres';
import { lots } from '../../shared/tables/lots.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import { type Lot, LotBook, returnedKopecksOf, usedKopecksOf } from './lot-book.ts';

interface StoredProgress {
  readonly lineId: number;
  readonly spentNano: bigint;
  readonly credits: number;
  readonly countedTo: Date;
}

interface SavedBook {
  readonly accountId: number;
  readonly book: LotBook;
  /** The last line whose lot is stored. */
  readonly knownThrough: number;
  readonly progress: StoredProgress;
}

interface LotRow {
  readonly line_id: string;
  readonly payment_id: string | null;
  readonly nano: string;
  readonly kopecks: string;
  readonly used_nano: string;
  readonly returned_nano: string;
}

export async function readBook(
  sql: TransactionSql,
  accountId: number,
): Promise<{ book: LotBook; progress: StoredProgress | undefined }> {
  const rows = await sql<LotRow[]>`
    SELECT line_id, payment_id, nano, kopecks, used_nano, returned_nano FROM lots
    WHERE account_id = ${accountId} ORDER BY line_id`;
  const [progress] = await sql<
    { line_id: string; spent_nano: string; credits: string; uncovered_nano: string; counted_to: Date }[]
  >`SELECT * FROM lot_progress WHERE account_id = ${accountId}`;
  const book = new LotBook(rows.map(toLot), BigInt(progress?.uncovered_nano ?? '0'));
  if (progress === undefined) return { book, progress };
  return {
    book,
    progress: {
      lineId: Number(progress.line_id),
      spentNano: BigInt(progress.spent_nano),
      credits: Number(progress.credits),
      countedTo: progress.counted_to,
    },
  };
}

/** As it was last counted. */
export async function readLotOfPayment(db: DbOrTransaction, paymentId: string): Promise<Lot | undefined> {
  const [lot] = await db.select().from(lots).where(eq(lots.paymentId, paymentId));
  return lot;
}

export async function saveBook(
  sql: TransactionSql,
  { accountId, book, knownThrough, progress }: SavedBook,
): Promise<void> {
  const changed = new Set(book.parts.map(({ lotLineId }) => lotLineId));
  for (const lot of book.lots.filter(({ lineId }) => lineId > knownThrough || changed.has(lineId))) {
    await sql`
      INSERT INTO lots (line_id, account_id, payment_id, nano, kopecks, used_nano, used_kopecks, returned_nano,
        returned_kopecks)
      VALUES (${lot.lineId}, ${accountId}, ${lot.paymentId}, ${String(lot.nano)}, ${String(lot.kopecks)},
        ${String(lot.usedNano)}, ${String(usedKopecksOf(lot))}, ${String(lot.returnedNano)},
        ${String(returnedKopecksOf(lot))})
      ON CONFLICT (line_id) DO UPDATE SET used_nano = excluded.used_nano, used_kopecks = excluded.used_kopecks,
        returned_nano = excluded.returned_nano, returned_kopecks = excluded.returned_kopecks`;
  }
  for (const part of book.parts) {
    await sql`
      INSERT INTO lot_parts (lot_line_id, month, kind, nano, kopecks)
      VALUES (${part.lotLineId}, ${part.month}, ${part.kind}, ${String(part.nano)}, ${String(part.kopecks)})
      ON CONFLICT (lot_line_id, month, kind)
      DO UPDATE SET nano = lot_parts.nano + excluded.nano, kopecks = lot_parts.kopecks + excluded.kopecks`;
  }
  await sql`
    INSERT INTO lot_progress (account_id, line_id, spent_nano, credits, uncovered_nano, counted_to)
    VALUES (${accountId}, ${progress.lineId}, ${String(progress.spentNano)}, ${progress.credits},
      ${String(book.uncoveredNano)}, ${progress.countedTo})
    ON CONFLICT (account_id) DO UPDATE SET line_id = excluded.line_id, spent_nano = excluded.spent_nano,
      credits = excluded.credits, uncovered_nano = excluded.uncovered_nano,
      counted_to = excluded.counted_to`;
}

function toLot(row: LotRow): Lot {
  return {
    lineId: Number(row.line_id),
    paymentId: row.payment_id,
    nano: BigInt(row.nano),
    kopecks: BigInt(row.kopecks),
    usedNano: BigInt(row.used_nano),
    returnedNano: BigInt(row.returned_nano),
  };
}
