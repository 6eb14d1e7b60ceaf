/** Payments of an account or of all accounts, newest first, with the refunds of each. */
import { and, count, desc, eq, inArray } from 'drizzle-orm';
import { type PaymentStatus, paymentRefunds, payments } from '../../shared/tables/payments.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import type { Payment } from './payment.ts';
import type { Refund } from './refunds/run-refund.ts';

export interface PaymentFilter {
  /** All accounts if undefined. */
  readonly accountId: number | undefined;
  readonly status: PaymentStatus | undefined;
}

export interface PaymentPage {
  readonly payments: readonly Payment[];
  readonly total: number;
}

export async function listPayments(
  db: DbOrTransaction,
  { accountId, status }: PaymentFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<PaymentPage> {
  const matches = and(
    accountId === undefined ? undefined : eq(payments.accountId, accountId),
    status === undefined ? undefined : eq(payments.status, status),
  );
  const rows = await db.select().from(payments).where(matches).orderBy(desc(payments.id)).limit(limit).offset(offset);
  const [all] = await db.select({ total: count() }).from(payments).where(matches);
  return { payments: rows, total: all?.total ?? 0 };
}

/** By payment, in the order in which they were made. */
export async function readRefunds(
  db: DbOrTransaction,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Refund[]>> {
  const rows =
    paymentIds.length === 0
      ? []
      : await db
          .select()
          .from(paymentRefunds)
          .where(inArray(paymentRefunds.paymentId, [...paymentIds]))
          .orderBy(paymentRefunds.id);
  return Map.groupBy(rows, ({ paymentId }) => paymentId);
}
