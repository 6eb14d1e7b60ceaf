/** Reads and writes the lots of an account. What a run has changed is added to the parts that are stored. */
import { eq, sql } from 'drizzle-orm';
import type { DbOrTransaction, Transaction } from '../database/connect.ts';
import { lotProgress, lotReturns, lots } from '../database/tables/lots.ts';
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

export async function readBook(
  transaction: DbOrTransaction,
  accountId: number,
): Promise<{ book: LotBook; progress: StoredProgress | undefined }> {
  const rows = await transaction.select().from(lots).where(eq(lots.accountId, accountId)).orderBy(lots.lineId);
  const [progress] = await transaction.select().from(lotProgress).where(eq(lotProgress.accountId, accountId));
  const returns = await transaction
    .select({ lotLineId: lotReturns.lotLineId, paymentId: lotReturns.paymentId, nano: lotReturns.nano })
    .from(lotReturns)
    .innerJoin(lots, eq(lots.lineId, lotReturns.lotLineId))
    .where(eq(lots.accountId, accountId));
  return { book: new LotBook({ lots: rows, returns, uncoveredNano: progress?.uncoveredNano ?? 0n }), progress };
}

/** As it was last counted. */
export async function readLotOfPayment(db: DbOrTransaction, paymentId: string): Promise<Lot | undefined> {
  const [lot] = await db.select().from(lots).where(eq(lots.paymentId, paymentId));
  return lot;
}

export async function saveBook(
  transaction: Transaction,
  { accountId, book, knownThrough, progress }: SavedBook,
): Promise<void> {
  const changed = new Set(book.parts.map(({ lotLineId }) => lotLineId));
  for (const lot of book.lots.filter(({ lineId }) => lineId > knownThrough || changed.has(lineId))) {
    await transaction.execute(sql`
      INSERT INTO lots (line_id, account_id, payment_id, nano, kopecks, used_nano, used_kopecks, returned_nano,
        returned_kopecks)
      VALUES (${lot.lineId}, ${accountId}, ${lot.paymentId}, ${String(lot.nano)}, ${String(lot.kopecks)},
        ${String(lot.usedNano)}, ${String(usedKopecksOf(lot))}, ${String(lot.returnedNano)},
        ${String(returnedKopecksOf(lot))})
      ON CONFLICT (line_id) DO UPDATE SET used_nano = excluded.used_nano, used_kopecks = excluded.used_kopecks,
        returned_nano = excluded.returned_nano, returned_kopecks = excluded.returned_kopecks`);
  }
  for (const part of book.parts) {
    await transaction.execute(sql`
      INSERT INTO lot_parts (lot_line_id, month, kind, nano, kopecks)
      VALUES (${part.lotLineId}, ${part.month}, ${part.kind}, ${String(part.nano)}, ${String(part.kopecks)})
      ON CONFLICT (lot_line_id, month, kind)
      DO UPDATE SET nano = lot_parts.nano + excluded.nano, kopecks = lot_parts.kopecks + excluded.kopecks`);
  }
  for (const { lotLineId, paymentId, nano } of book.returns.filter(({ lotLineId: id }) => changed.has(id))) {
    await transaction.execute(sql`
      INSERT INTO lot_returns (lot_line_id, payment_id, nano) VALUES (${lotLineId}, ${paymentId}, ${String(nano)})
      ON CONFLICT (lot_line_id, payment_id) DO UPDATE SET nano = excluded.nano`);
  }
  await transaction.execute(sql`
    INSERT INTO lot_progress (account_id, line_id, spent_nano, credits, uncovered_nano, counted_to)
    VALUES (${accountId}, ${progress.lineId}, ${String(progress.spentNano)}, ${progress.credits},
      ${String(book.uncoveredNano)}, ${progress.countedTo.toISOString()})
    ON CONFLICT (account_id) DO UPDATE SET line_id = excluded.line_id, spent_nano = excluded.spent_nano,
      credits = excluded.credits, uncovered_nano = excluded.uncovered_nano,
      counted_to = excluded.counted_to`);
}
