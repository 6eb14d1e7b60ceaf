/**
 * Takes back from the wallet what a provider took back without us: a chargeback, or a refund that was made in the
 * provider's own cabinet. As far as the wallet has it; the rest is recorded as owed.
 */
import { minorUnits } from '../../../shared/payment-money.ts';
import { paymentRefunds } from '../../../shared/tables/payments.ts';
import type { ProviderPayment } from '../methods/payment-method.ts';
import { amountText, changePayment, isBooked, lockPayment, type Payment } from '../payment.ts';
import type { PaymentServices } from '../payment-services.ts';
import { recordEvent } from '../record-event.ts';
import { hasPendingRefund, wonOfBooked } from './find-refunds.ts';
import { nanoOfMinor } from './refund-amounts.ts';
import { runRefund } from './run-refund.ts';

/** The provider's sums may include a refund of ours that is under way: then they are compared once it has ended. */
export async function reversePayment(
  services: PaymentServices,
  paymentId: string,
  answer: ProviderPayment,
): Promise<void> {
  const refundId = await services.database.db.transaction(async (transaction) => {
    const { payment } = await lockPayment(transaction, paymentId);
    // What was won counts as taken until it is given back, so that neither an old answer nor a new one takes it twice.
    const won = await wonOfBooked(transaction, payment, answer);
    const taken = smaller(
      answer.refundedMinor + answer.disputedMinor + won - payment.restoredMinor,
      payment.amountMinor,
    );
    const missing = taken - payment.refundedMinor;
    if (!isBooked(payment) || missing <= 0n) return undefined;
    if (await hasPendingRefund(transaction, paymentId)) {
      await changePayment(transaction, payment, { nextAskAt: new Date(services.now().getTime() + retryMs) });
      return undefined;
    }
    await recordEvent(transaction, { paymentId, kind: 'answer', body: answer.raw });
    const isDispute = answer.disputedMinor > 0n;
    if (isDispute) await changePayment(transaction, payment, { disputedAt: services.now(), disputeWonAt: null });
    const id = Bun.randomUUIDv7();
    await transaction.insert(paymentRefunds).values({
      id,
      paymentId,
      kind: 'reversed',
      isDispute,
      amountMinor: missing,
      amountNano: nanoOfMinor(payment, { from: payment.refundedMinor, minor: missing }),
      reason: isDispute ? 'Chargeback' : 'Refund by the provider',
    });
    report(services, payment, { missing, isDispute });
    return id;
  });
  if (refundId !== undefined) await runRefund(services, refundId);
}

const retryMs = 15_000;

function report(
  { log }: PaymentServices,
  payment: Payment,
  { missing, isDispute }: { missing: bigint; isDispute: boolean },
) {
  log.error(
    { payment: payment.id, accountId: payment.accountId, amount: amountText(minorUnits(missing), payment.currency) },
    isDispute ? 'a payment is disputed; its money is taken back' : 'a provider has returned money without us',
  );
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
