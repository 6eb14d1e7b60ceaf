/**
 * Gives back what a dispute took, once it is won. What was owed is forgiven first, the rest is credited, and cards work
 * again. Only disputes that the provider reports as won count: a response from before the dispute says nothing about it.
 */
import { nanoUsd } from '../../../shared/money.ts';
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
import { postCredit } from '../../ledger/post-credit.ts';
import { deliverCredit } from '../book-payment.ts';
import type { ProviderPayment } from '../methods/payment-method.ts';
import { queuePaymentMail } from '../payment-mails.ts';
import type { PaymentServices } from '../payment-services.ts';
import { findWon, isPending, type Refund, readRefunds } from './find-refunds.ts';
import { nanoOfMinor } from './refund-amounts.ts';

const retryMs = 15_000;

/** The reversal is booked first, so that there is something to give back. Returns whether there was. */
export async function restorePayment(
  services: PaymentServices,
  paymentId: string,
  providerPayment: ProviderPayment,
): Promise<boolean> {
  if (!(await restoreOne(services, paymentId, providerPayment))) return false;
  while (await restoreOne(services, paymentId, providerPayment));
  return true;
}

/** Whether there was one to give back. */
async function restoreOne(
  services: PaymentServices,
  paymentId: string,
  providerPayment: ProviderPayment,
): Promise<boolean> {
  const { disputes, raw } = providerPayment;
  if (!disputes.some(({ isWon }) => isWon)) return false;
  const accountId = await services.database.db.transaction(async (transaction) => {
    const { payment } = await lockPayment(transaction, paymentId);
    const refunds = await readRefunds(transaction, paymentId);
    const reversal = findWon(refunds, disputes);
    const areOver = disputes.every(({ isWon }) => isWon);
    if (!isBooked(payment)) return undefined;
    if (reversal === undefined) {
      // It took nothing, because the payment had been returned before: only the block is lifted.
      const isBlocked = payment.disputedAt !== null && payment.disputeWonAt === null;
      if (areOver && isBlocked) await changePayment(transaction, payment, { disputeWonAt: services.now() });
      return undefined;
    }
    if (refunds.some(isPending)) {
      await changePayment(transaction, payment, { nextAskAt: new Date(services.now().getTime() + retryMs) });
      return undefined;
    }
    await recordEvent(transaction, { paymentId, kind: 'answer', body: raw });
    await restore(transaction, payment, { reversal, disputeWonAt: areOver ? services.now() : null });
    return payment.accountId;
  });
  if (accountId === undefined) return false;
  services.log.warn({ payment: paymentId, accountId }, 'a dispute was won; its amount is credited again');
  await deliverCredit(services, accountId);
  return true;
}

async function restore(
  transaction: Transaction,
  payment: Payment,
  { reversal, disputeWonAt }: { reversal: Refund; disputeWonAt: Date | null },
): Promise<void> {
  const { amountMinor, disputeReference } = reversal;
  const id = Bun.randomUUIDv7();
  const refundedMinor = payment.refundedMinor - amountMinor;
  const amountNano = nanoOfMinor(payment, { from: refundedMinor, minor: amountMinor });
  const owedNano = amountNano < payment.owedNano ? amountNano : payment.owedNano;
  const creditNano = nanoUsd(amountNano - owedNano);
  const amount = amountText(amountMinor, payment.currency);
  const booked =
    creditNano === 0n
      ? undefined
      : await postCredit(transaction, {
          accountId: payment.accountId,
          type: 'payment',
          amountNano: creditNano,
          reason: `Dispute won: ${amount}`,
          idempotencyKey: id,
        });
  await transaction.insert(paymentRefunds).values({
    id,
    paymentId: payment.id,
    kind: 'restored',
    disputeReference,
    status: 'succeeded',
    amountMinor,
    amountNano: creditNano,
    owedNano,
    reason: 'Dispute won',
    transactionId: booked?.transactionId ?? null,
    finishedAt: new Date(),
  });
  await changePayment(transaction, payment, {
    status: 'succeeded',
    refundedMinor,
    restoredMinor: payment.restoredMinor + amountMinor,
    owedNano: payment.owedNano - owedNano,
    disputeWonAt,
  });
  await queuePaymentMail(transaction, payment, {
    kind: 'payment_restored',
    data: {
      amountMinor: String(amountMinor),
      currency: payment.currency,
      balanceNano: booked === undefined ? null : String(booked.balanceNano),
    },
  });
}
