/** The lines of an account in the ledger, and how each is counted into its lots. */
import { eq, type SQL, sql } from 'drizzle-orm';
import type { DbOrTransaction } from '../database/connect.ts';
import { closedMonths } from '../database/tables/lots.ts';
import type { LotBook } from './lot-book.ts';
import { type ClosedMonth, countedMonth, monthOf } from './months.ts';

export interface LotConfig {
  readonly billingTimeZone: string;
}

/** How far an account is counted. */
export interface Progress {
  readonly lineId: number;
  readonly spentNano: bigint;
  readonly credits: number;
  readonly countedTo: Date;
}

export type Line = {
  readonly id: string;
  readonly amount_nano: string;
  readonly type: 'usage' | 'payment' | 'refund';
  /** As Postgres writes it. */
  readonly created_at: Date;
  readonly paid_by: string | null;
  readonly rub_kopecks: string | null;
  readonly refund_of: string | null;
};

export interface Counting {
  readonly book: LotBook;
  readonly closed: readonly ClosedMonth[];
  readonly config: LotConfig;
}

export const linesPerPage = 10_000;
export const nothingCounted: Progress = { lineId: 0, spentNano: 0n, credits: 0, countedTo: new Date(0) };

/** Those after a line, in their order; `near` is a further condition, which begins with AND. */
export function linesAfter(lineId: number, { accountId, near = sql`` }: { accountId: number; near?: SQL }): SQL {
  return sql`
    SELECT line.id, line.amount_nano, line.type, line.created_at,
      payment.id AS paid_by, payment.rub_kopecks, refund.payment_id AS refund_of
    FROM journal_lines AS line
    LEFT JOIN payments AS payment ON payment.account_id = ${accountId} AND payment.transaction_id = line.id
    LEFT JOIN (
      SELECT transaction_id, payment_id FROM payment_refunds
      WHERE payment_id IN (SELECT id FROM payments WHERE account_id = ${accountId})
    ) AS refund ON refund.transaction_id = line.id
    WHERE line.account_id = ${accountId} AND line.book = 'wallet' AND line.id > ${lineId} ${near}
    ORDER BY line.id`;
}

export function countLine(line: Line, progress: Progress, { book, closed, config }: Counting): Progress {
  const [lineId, nano, createdAt] = [Number(line.id), BigInt(line.amount_nano), line.created_at];
  const month = countedMonth(monthOf(createdAt, config.billingTimeZone), lineId, closed);
  if (line.type === 'usage') book.charge(-nano, month);
  else if (nano < 0n) book.takeBack(-nano, { paymentId: line.refund_of, month });
  else if (line.refund_of !== null) book.restore(nano, { paymentId: line.refund_of, lineId, month });
  else book.credit({ lineId, paymentId: line.paid_by, nano, kopecks: BigInt(line.rub_kopecks ?? '0') }, month);
  return {
    lineId,
    spentNano: progress.spentNano - (line.type === 'usage' ? nano : 0n),
    credits: progress.credits + (line.type === 'usage' ? 0 : 1),
    countedTo: createdAt > progress.countedTo ? createdAt : progress.countedTo,
  };
}

export async function readClosedMonths(transaction: DbOrTransaction, accountId: number): Promise<ClosedMonth[]> {
  return transaction
    .select({ month: closedMonths.month, throughLineId: closedMonths.throughLineId })
    .from(closedMonths)
    .where(eq(closedMonths.accountId, accountId))
    .orderBy(closedMonths.month);
}
