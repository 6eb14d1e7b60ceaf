/**
 * Gives back what a dispute took, once it is won, and what a refund took, if it fails after it had succeeded. What was owed
 * is forgiven first, the rest is credited, and after a dispute cards work again. Only what the provider reports as won or failed
 * counts: a response from before the dispute or the refund says nothing about it.
 */
import { eq } from 'drizzle-orm';
import { formatUsd, nanoUsd } from '../../../shared/money.ts';
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
import { writeEvent } from '../../operations/webhook-events/write-event.ts';
import { deliverCredit, reportedAmount } from '../book-payment.ts';
import type { ProviderDispute } from '../methods/payment-method.ts';
import { queuePaymentMail } from '../payment-mails.ts';
import type { PaymentServices } from '../payment-services.ts';
import { findFailed, findWon, isUnsettled, type ProviderResponse, type Refund, readRefunds } from './find-refunds.ts';
import { nanoOfMinor } from './refund-amounts.ts';

const retryMs = 15_000;

/** The reversal is booked first, so that there is something to give back. Returns whether there was. */
export async function restorePayment(
  services: PaymentServices,
  paymentId: string,
  response: ProviderResponse,
): Promise<boolean> {
  if (!(await restoreOne(services, paymentId, response))) return false;
  while (await restoreOne(services, paymentId, response));
  return true;
}

/** Whether there was one to give back. */
async function restoreOne(services: PaymentServices, paymentId: string, response: ProviderResponse): Promise<boolean> {
  const { disputes, failedRefunds, raw } = response;
  if (failedRefunds.length === 0 && !disputes.some(({ isWon }) => isWon)) return false;
  const restored = await services.database.db.transaction(async (transaction) => {
    const { payment } = await lockPayment(transaction, paymentId);
    const refunds = await readRefunds(transaction, paymentId);
    if (!isBooked(payment)) return undefined;
    const restoration = findRestoration(payment, refunds, response);
    if (restoration === undefined) {
      await liftBlock(transaction, payment, { disputes, at: services.now() });
      return undefined;
    }
    if (isUnsettled(refunds, response)) {
      await changePayment(transaction, payment, { nextAskAt: new Date(services.now().getTime() + retryMs) });
      return undefined;
    }
    await recordEvent(transaction, { paymentId, kind: 'answer', body: raw });
    await restore(transaction, payment, { restoration, at: services.now() });
    if (restoration.cause === 'dispute') await liftBlock(transaction, payment, { disputes, at: services.now() });
    return { accountId: payment.accountId, restoration };
  });
  if (restored === undefined) return false;
  report(services, paymentId, restored);
  await deliverCredit(services, restored.accountId);
  return true;
}

interface Restoration {
  readonly cause: 'dispute' | 'failed refund';
  /** The provider's id of it. */
  readonly reference: string;
  readonly amountMinor: bigint;
  /** What it took from the wallet, with what was owed. */
  readonly amountNano: bigint;
  /** The refund that failed; undefined if it was not made here. */
  readonly refund?: Refund | undefined;
}

function findRestoration(
  payment: Payment,
  refunds: readonly Refund[],
  response: ProviderResponse,
): Restoration | undefined {
  const nanoOf = (amountMinor: bigint) =>
    nanoOfMinor(payment, { from: payment.refundedMinor - amountMinor, minor: amountMinor });
  const failed = findFailed(refunds, response);
  if (failed !== undefined) {
    const { reference, amountMinor, ours: refund } = failed;
    const amountNano = refund?.amountNano ?? nanoOf(amountMinor);
    return { cause: 'failed refund', reference, amountMinor, amountNano, refund };
  }
  const won = findWon(refunds, response.disputes);
  return won && { cause: 'dispute', ...won, amountNano: nanoOf(won.amountMinor) };
}

/** Once all disputes are won: also if they took nothing, because the payment had been returned before. */
async function liftBlock(
  transaction: Transaction,
  payment: Payment,
  { disputes, at }: { disputes: readonly ProviderDispute[]; at: Date },
): Promise<void> {
  const isBlocked = payment.disputedAt !== null && payment.disputeWonAt === null;
  const areOver = disputes.length > 0 && disputes.every(({ isWon }) => isWon);
  if (isBlocked && areOver) await changePayment(transaction, payment, { disputeWonAt: at });
}

const reasons = { dispute: 'Dispute won', 'failed refund': 'Refund failed' } as const;

async function restore(
  transaction: Transaction,
  payment: Payment,
  { restoration, at }: { restoration: Restoration; at: Date },
): Promise<void> {
  const { cause, reference, amountMinor, amountNano, refund } = restoration;
  const id = Bun.randomUUIDv7();
  const refundedMinor = payment.refundedMinor - amountMinor;
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
          reason: `${reasons[cause]}: ${amount}`,
          idempotencyKey: id,
        });
  await transaction.insert(paymentRefunds).values({
    id,
    paymentId: payment.id,
    kind: 'restored',
    disputeReference: reference,
    providerReference: cause === 'failed refund' ? reference : null,
    status: 'succeeded',
    amountMinor,
    amountNano: creditNano,
    owedNano,
    reason: reasons[cause],
    transactionId: booked?.transactionId ?? null,
    finishedAt: at,
  });
  // Unknown of a refund that an operator has settled.
  if (refund?.providerReference === null)
    await transaction
      .update(paymentRefunds)
      .set({ providerReference: reference })
      .where(eq(paymentRefunds.id, refund.id));
  await changePayment(transaction, payment, {
    status: 'succeeded',
    refundedMinor,
    restoredMinor: payment.restoredMinor + amountMinor,
    owedNano: payment.owedNano - owedNano,
    // The response may have been older than what was booked before it.
    nextAskAt: at,
  });
  await queuePaymentMail(transaction, payment, {
    kind: cause === 'dispute' ? 'payment_restored' : 'refund_failed',
    data: {
      amountMinor: String(amountMinor),
      currency: payment.currency,
      balanceNano: booked === undefined ? null : String(booked.balanceNano),
    },
  });
  await writeEvent(transaction, payment.accountId, {
    type: 'payment.restored',
    data: {
      ...{ paymentId: payment.id, restorationId: id, cause: cause === 'dispute' ? 'dispute_won' : 'refund_failed' },
      ...reportedAmount({ amountMinor, currency: payment.currency }),
      balanceUsd: booked === undefined ? null : formatUsd(booked.balanceNano),
    },
  });
}

function report(
  { log }: PaymentServices,
  paymentId: string,
  { accountId, restoration }: { accountId: number; restoration: Restoration },
): void {
  const about = { payment: paymentId, accountId, reference: restoration.reference };
  if (restoration.cause === 'dispute') log.warn(about, 'a dispute was won; its amount is credited again');
  else log.error(about, 'a refund failed after it had succeeded; its amount is credited again');
}
