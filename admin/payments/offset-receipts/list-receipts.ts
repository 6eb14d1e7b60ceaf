/** Offset receipts as operators and exports show them. */
import { and, desc, eq, inArray } from 'drizzle-orm';
import type { DbOrTransaction } from '../../database/connect.ts';
import { type OffsetReceiptStatus, offsetReceipts } from '../../database/tables/offset-receipts.ts';
import { payments } from '../../database/tables/payments.ts';
import { formatMinorUnits, minorUnits } from '../../money/payment-money.ts';

type Receipt = typeof offsetReceipts.$inferSelect;

export interface ReceiptFilter {
  /** Undefined is all of them. */
  readonly status: OffsetReceiptStatus | undefined;
  readonly accountId: number | undefined;
}

/** Newest first. */
export async function listOffsetReceipts(db: DbOrTransaction, { status, accountId }: ReceiptFilter, limit: number) {
  const rows = await db
    .select({ receipt: offsetReceipts, accountId: payments.accountId })
    .from(offsetReceipts)
    .innerJoin(payments, eq(payments.id, offsetReceipts.paymentId))
    .where(
      and(
        status === undefined ? undefined : eq(offsetReceipts.status, status),
        accountId === undefined ? undefined : eq(payments.accountId, accountId),
      ),
    )
    .orderBy(desc(offsetReceipts.id))
    .limit(limit);
  return rows.map((row) => ({ accountId: row.accountId, ...describeReceipt(row.receipt) }));
}

/** Returns a function that says which receipts were made of each of these payments, in the order of their months. */
export async function readOffsetReceipts(db: DbOrTransaction, paymentIds: readonly string[]) {
  const rows =
    paymentIds.length === 0
      ? []
      : await db
          .select()
          .from(offsetReceipts)
          .where(inArray(offsetReceipts.paymentId, [...paymentIds]))
          .orderBy(offsetReceipts.month);
  const byPayment = Map.groupBy(rows, ({ paymentId }) => paymentId);
  return (paymentId: string) => (byPayment.get(paymentId) ?? []).map(describeReceipt);
}

function describeReceipt({ paymentId, month, kopecks, status, providerReference, problem }: Receipt) {
  const amount = formatMinorUnits(minorUnits(kopecks));
  return { paymentId, month: month.slice(0, 7), amount, status, reference: providerReference, problem };
}
