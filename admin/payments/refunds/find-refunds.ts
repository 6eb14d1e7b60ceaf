/** What is known of the money of a payment that went back. */
import { and, eq, sql } from 'drizzle-orm';
import { paymentRefunds } from '../../../shared/tables/payments.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import type { ProviderPayment } from '../methods/payment-method.ts';
import type { Payment } from '../payment.ts';

export async function hasPendingRefund(db: DbOrTransaction, paymentId: string): Promise<boolean> {
  const rows = await db
    .select({ one: sql`1` })
    .from(paymentRefunds)
    .where(and(eq(paymentRefunds.paymentId, paymentId), eq(paymentRefunds.status, 'pending')));
  return rows.length > 0;
}

/** How much of the disputes that were booked is won, by now. */
export async function wonOfBooked(
  db: DbOrTransaction,
  { id }: Pick<Payment, 'id'>,
  { wonMinor }: ProviderPayment,
): Promise<bigint> {
  const [booked] = await db
    .select({ minor: sql<string>`coalesce(sum(${paymentRefunds.amountMinor}), 0)` })
    .from(paymentRefunds)
    .where(and(eq(paymentRefunds.paymentId, id), eq(paymentRefunds.isDispute, true)));
  const disputed = BigInt(booked?.minor ?? '0');
  return wonMinor < disputed ? wonMinor : disputed;
}
