/** An operator's decisions about a payment: the money has arrived, or the order is void. */
import { and, eq } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { bankTransfer } from '../../shared/payment-methods.ts';
import type { ExchangeRate } from '../catalogue/exchange-rate/exchange-rate.ts';
import { moscowDay } from '../catalogue/exchange-rate/rate-schedule.ts';
import type { Transaction } from '../database/connect.ts';
import { isUniqueViolation } from '../database/errors.ts';
import {
  amountText,
  changePayment,
  isBooked,
  lockPayment,
  type Payment,
  recordEvent,
  wrongState,
} from '../database/rows/payment.ts';
import { bankLines } from '../database/tables/bank-lines.ts';
import { paymentRefunds, type RefundSettlement } from '../database/tables/payments.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import { isOtherPayer, readOrderInns } from './bank/order-inn.ts';
import { bookPayment } from './book-payment.ts';
import { isInReview, readRefunds } from './refunds/find-refunds.ts';

export interface Confirmation {
  readonly paymentId: string;
  /** When the bank booked the money. */
  readonly paidAt: Date;
  /** The bank's own number of the transfer; each confirms one payment. */
  readonly reference: string;
  /** Of a bank statement: numbers are unique per day and payer only. */
  readonly referenceScope?: string | undefined;
  readonly reason: string;
}

/**
 * Books the payment at the rate of the day the money came. Throws GatewayError `payment_state`,
 * `payment_reference_used` or `wallet_limit`.
 */
export async function confirmPayment(
  transaction: Transaction,
  actor: Actor,
  { confirmation, rate, title }: { confirmation: Confirmation; rate: ExchangeRate; title: string },
): Promise<void> {
  const { paymentId, paidAt, reference, referenceScope, reason } = confirmation;
  const { payment } = await lockPayment(transaction, paymentId);
  if (isBooked(payment)) throw wrongState(payment.status, 'is already booked');
  if (referenceScope === undefined && payment.method === bankTransfer)
    await refuseOtherTransfer(transaction, { payment, reference, paidAt });
  const body = JSON.stringify({ paidAt, reference, referenceScope, reason, by: actor.name });
  await recordEvent(transaction, { paymentId, kind: 'confirmation', body });
  // A provider's own reference stays: the provider is queried with it.
  const ours = payment.providerReference === null ? reference : null;
  const result = await orReferenceUsed(() =>
    bookPayment(transaction, { paymentId, paidAt, rate, title, reference: ours, referenceScope }),
  );
  if (result.outcome === 'review') throw new GatewayError('payment_state', `It cannot be booked: ${result.problem}.`);
  // What went back while it was in review is taken from the balance now.
  if (payment.providerReference !== null) await changePayment(transaction, payment, { nextAskAt: new Date() });
  await recordAction(transaction, actor, {
    action: 'payment.confirm',
    subject: `payment ${paymentId}`,
    accountId: payment.accountId,
    reason,
    before: { status: payment.status },
    after: { status: 'succeeded', amount: amountText(payment.amountMinor, payment.currency), reference },
  });
}

/**
 * A transfer that a bank statement has is not confirmed by hand if it confirms a payment already, or if another company has
 * paid it: then the operator books the line itself, which shows who that is.
 */
async function refuseOtherTransfer(
  transaction: Transaction,
  { payment, reference, paidAt }: { payment: Payment; reference: string; paidAt: Date },
): Promise<void> {
  const lines = await transaction
    .select()
    .from(bankLines)
    .where(
      and(
        eq(bankLines.number, reference),
        eq(bankLines.bankDate, moscowDay(paidAt)),
        eq(bankLines.amountKopecks, payment.amountMinor),
      ),
    )
    .for('update');
  const open = lines.filter(({ paymentId }) => paymentId === null);
  if (lines.length > 0 && open.length === 0) throw referenceUsed();
  const inn = (await readOrderInns(transaction, [payment.id])).get(payment.id);
  const [other] = open;
  if (other !== undefined && open.every((line) => isOtherPayer(line, inn))) throw otherPayer(other.id);
}

/** The provider is still asked: the customer may pay on an open page. Throws GatewayError `payment_state`. */
export async function cancelPayment(
  transaction: Transaction,
  actor: Actor,
  { paymentId, reason }: { paymentId: string; reason: string },
): Promise<void> {
  const { payment } = await lockPayment(transaction, paymentId);
  if (isBooked(payment)) throw wrongState(payment.status, 'is booked, so it can only be refunded');
  if (payment.status === 'canceled') return;
  // The next attempt must not begin while this one may still be paid.
  if (payment.cardId !== null && payment.status === 'pending') throw wrongState('pending', 'is being charged');
  await changePayment(transaction, payment, { status: 'canceled', problem: reason });
  await recordAction(transaction, actor, {
    action: 'payment.cancel',
    subject: `payment ${paymentId}`,
    accountId: payment.accountId,
    reason,
    before: { status: payment.status },
    after: { status: 'canceled' },
  });
}

/** Ends a refund in review by what the operator has found out at the provider. Throws GatewayError `payment_state`. */
export async function settleRefund(
  transaction: Transaction,
  actor: Actor,
  { paymentId, settledAs, reason }: { paymentId: string; settledAs: RefundSettlement; reason: string },
): Promise<void> {
  const { payment } = await lockPayment(transaction, paymentId);
  const [refund] = (await readRefunds(transaction, paymentId)).filter(isInReview);
  if (refund === undefined) throw new GatewayError('payment_state', 'No refund of the payment is in review.');
  await transaction
    .update(paymentRefunds)
    .set({ settledAs, nextAttemptAt: new Date() })
    .where(eq(paymentRefunds.id, refund.id));
  await recordAction(transaction, actor, {
    action: 'payment.settle_refund',
    subject: `payment ${paymentId}`,
    accountId: payment.accountId,
    reason,
    after: { refund: refund.id, settledAs },
  });
}

async function orReferenceUsed<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, 'payments_reference')) throw referenceUsed();
    throw error;
  }
}

export function referenceUsed(): GatewayError {
  return new GatewayError('payment_reference_used', 'This reference already confirms another payment.', {
    param: 'reference',
  });
}

export function otherPayer(lineId: number): GatewayError {
  const message =
    `Line ${lineId} of a bank statement has this number, day and amount, but the INN of another payer. If it pays this ` +
    'order, book the line.';
  return new GatewayError('payment_state', message, { param: 'reference' });
}
