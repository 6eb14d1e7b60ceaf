/**
 * Takes back from the wallet what a provider took back without us: a chargeback, or a refund that was made in the
 * provider's own cabinet. As far as the wallet has it; the rest is recorded as owed, and collected later.
 */
import type { Transaction } from '../../database/connect.ts';
import {
  amountText,
  changePayment,
  isBooked,
  lockPayment,
  type Payment,
  recordEvent,
} from '../../database/rows/payment.ts';
import { paymentRefunds } from '../../database/tables/payments.ts';
import { minorUnits } from '../../money/payment-money.ts';
import type { ProviderDispute } from '../methods/payment-method.ts';
import type { PaymentServices } from '../payment-services.ts';
import { findMissing, findUnnoted, isUnsettled, type ProviderResponse, readRefunds } from './find-refunds.ts';
import { nanoOfMinor } from './refund-amounts.ts';
import { runRefund } from './run-refund.ts';

export async function reversePayment(
  services: PaymentServices,
  paymentId: string,
  response: ProviderResponse,
): Promise<void> {
  for (;;) {
    const refundId = await beginReversal(services, paymentId, response);
    if (refundId === undefined) return;
    await runRefund(services, refundId);
  }
}

/** The provider's sum may include a refund of ours that is under way: then they are compared once it has ended. */
async function beginReversal(
  services: PaymentServices,
  paymentId: string,
  response: ProviderResponse,
): Promise<string | undefined> {
  return services.database.db.transaction(async (transaction) => {
    const { payment } = await lockPayment(transaction, paymentId);
    const refunds = await readRefunds(transaction, paymentId);
    const missing = findMissing(refunds, response);
    const left = payment.amountMinor - payment.refundedMinor;
    if (!isBooked(payment) || missing === undefined) return undefined;
    if (left === 0n) {
      for (const dispute of findUnnoted(refunds, response)) await note(services, transaction, { payment, dispute });
      return undefined;
    }
    if (isUnsettled(refunds, response)) {
      await changePayment(transaction, payment, { nextAskAt: new Date(services.now().getTime() + retryMs) });
      return undefined;
    }
    await recordEvent(transaction, { paymentId, kind: 'answer', body: response.raw });
    const { disputeReference } = missing;
    const amountMinor = smaller(missing.amountMinor, left);
    const isDispute = disputeReference !== null;
    if (isDispute) await changePayment(transaction, payment, { disputedAt: services.now(), disputeWonAt: null });
    const id = Bun.randomUUIDv7();
    await transaction.insert(paymentRefunds).values({
      id,
      paymentId,
      kind: 'reversed',
      disputeReference,
      amountMinor,
      amountNano: nanoOfMinor(payment, { from: payment.refundedMinor, minor: amountMinor }),
      reason: isDispute ? 'Chargeback' : 'Refund by the provider',
    });
    report(services, payment, { amountMinor, isDispute });
    return id;
  });
}

/**
 * The payment went back before, so nothing is left to take, but the bank takes it from us a second time. Should an earlier
 * dispute be won, this one is taken then.
 */
async function note(
  services: PaymentServices,
  transaction: Transaction,
  { payment, dispute }: { payment: Payment; dispute: ProviderDispute },
): Promise<void> {
  const { reference, amountMinor } = dispute;
  await transaction.insert(paymentRefunds).values({
    id: Bun.randomUUIDv7(),
    paymentId: payment.id,
    kind: 'disputed',
    disputeReference: reference,
    status: 'refused',
    amountMinor,
    amountNano: 0n,
    reason: 'Chargeback',
    problem: 'the payment was returned before',
    finishedAt: services.now(),
  });
  const disputedAt = payment.disputedAt === null || payment.disputeWonAt !== null ? services.now() : payment.disputedAt;
  await changePayment(transaction, payment, { disputedAt, disputeWonAt: null });
  report(services, payment, { amountMinor, isDispute: true, isReturned: true });
}

const retryMs = 15_000;

function report(
  { log }: PaymentServices,
  payment: Payment,
  { amountMinor, isDispute, isReturned = false }: { amountMinor: bigint; isDispute: boolean; isReturned?: boolean },
) {
  log.error(
    {
      payment: payment.id,
      accountId: payment.accountId,
      amount: amountText(minorUnits(amountMinor), payment.currency),
    },
    isReturned
      ? 'a payment is disputed that was returned before: respond to the dispute, or it is returned twice'
      : isDispute
        ? 'a payment is disputed; its amount is taken from the balance'
        : 'a provider has returned money on its own',
  );
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
