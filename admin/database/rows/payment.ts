/** An order to top up a wallet, as it is stored, and how it is found and locked. */
import { and, eq } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import { formatMinorUnits, minorUnits } from '../../money/payment-money.ts';
import type { DbOrTransaction, Transaction } from '../connect.ts';
import { paymentEvents, payments } from '../tables/payments.ts';
import { type Account, lockAccount } from './lock-account.ts';

export type Payment = typeof payments.$inferSelect;

/** Throws GatewayError `not_found`, also for another account's payment. */
export async function findPayment(db: DbOrTransaction, id: string, accountId?: number): Promise<Payment> {
  const [payment] = await db
    .select()
    .from(payments)
    .where(and(eq(payments.id, id), accountId === undefined ? undefined : eq(payments.accountId, accountId)));
  if (payment === undefined) throw paymentNotFound(id);
  return payment;
}

/** Locks the account before the payment, as every posting does. Throws GatewayError `not_found`. */
export async function lockPayment(
  transaction: Transaction,
  id: string,
): Promise<{ readonly payment: Payment; readonly account: Account }> {
  const { accountId } = await findPayment(transaction, id);
  const account = await lockAccount(transaction, accountId);
  const [payment] = await transaction.select().from(payments).where(eq(payments.id, id)).for('update');
  if (payment === undefined) throw paymentNotFound(id);
  return { payment, account };
}

export async function changePayment(
  transaction: DbOrTransaction,
  { id }: Pick<Payment, 'id'>,
  change: Partial<typeof payments.$inferInsert>,
): Promise<void> {
  await transaction.update(payments).set(change).where(eq(payments.id, id));
}

/** Stores what was said about a payment, before it is acted on. */
export async function recordEvent(
  db: DbOrTransaction,
  event: { paymentId: string; kind: 'notification' | 'answer' | 'confirmation'; body: string },
): Promise<void> {
  await db.insert(paymentEvents).values(event);
}

export function isBooked({ transactionId }: Payment): boolean {
  return transactionId !== null;
}

/** `1000.00 RUB`. */
export function amountText(amountMinor: bigint, currency: string): string {
  return `${formatMinorUnits(minorUnits(amountMinor))} ${currency}`;
}

export function paymentNotFound(id: string): GatewayError {
  return new GatewayError('not_found', `There is no payment ${id}.`, { param: 'paymentId' });
}

/** `does` completes the sentence: `cannot be canceled`. */
export function wrongState(status: Payment['status'], does: string): GatewayError {
  return new GatewayError('payment_state', `The payment is ${status}: it ${does}.`);
}
