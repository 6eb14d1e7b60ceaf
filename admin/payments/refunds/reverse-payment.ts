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
import {
  findMissing,
  findUnnoted,
  isUnsettled,
  type ProviderResponse,
  pendingMinorOf,
  readRefunds,
} from './find-refunds.ts';
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

/**
 * The provider's sum may include a refund of ours that is under way: then they are compared once it has ended. A dispute takes
 * what that refund leaves of the payment, and the rest if it fails.
 */
async function beginReversal(
  services: PaymentServices,
  paymentId: string,
  response: ProviderResponse,
): Promise<string | undefined> {
  return services.database.db.transaction(async (transaction) => {
    const { payment } = await lockPayment(transaction, paymentId);
    const refunds = await readRefunds(transaction, paymentId);
    const missing = findMissing(refunds, response);
    if (!isBooked(payment) || missing === undefined) return undefined;
    if (payment.refundedMinor === payment.amountMinor) {
      for (const dispute of findUnnoted(refunds, response)) await note(services, transaction, { payment, dispute });
      return undefined;
    }
    const { disputeReference } = missing;
    const isDispute = disputeReference !== null;
    const isNew = isDispute && (await stopCards(transaction, payment, services.now()));
    const left = payment.amountMinor - payment.refundedMinor - pendingMinorOf(refunds);
    if (isDispute ? left === 0n : isUnsettled(refunds, response)) {
      if (isNew) report(services, payment, { amountMinor: missing.amountMinor, event: 'disputed while refunded' });
      await changePayment(transaction, payment, { nextAskAt: new Date(services.now().getTime() + retryMs) });
      return undefined;
    }
    await recordEvent(transaction, { paymentId, kind: 'answer', body: response.raw });
    const amountMinor = smaller(missing.amountMinor, left);
    const id = Bun.randomUUIDv7();
    await transaction.insert(paymentRefunds).values({
      id,
      paymentId,
      kind: 'reversed',
      disputeReference,
      amountMinor,
      amountNano: nanoOfMinor(payment, { from: payment.amountMinor - left, minor: amountMinor }),
      reason: isDispute ? 'Chargeback' : 'Refund by the provider',
    });
    report(services, payment, { amountMinor, event: isDispute ? 'disputed' : 'returned' });
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
  await stopCards(transaction, payment, services.now());
  report(services, payment, { amountMinor, event: 'disputed after return' });
}

/** Returns whether cards worked before, as far as this payment is concerned. */
async function stopCards(transaction: Transaction, payment: Payment, at: Date): Promise<boolean> {
  if (payment.disputedAt !== null && payment.disputeWonAt === null) return false;
  await changePayment(transaction, payment, { disputedAt: at, disputeWonAt: null });
  return true;
}

const retryMs = 15_000;

const texts = {
  disputed: 'a payment is disputed; its amount is taken from the balance',
  'disputed while refunded':
    'a payment is disputed while it is being refunded; its amount is taken if the refund fails',
  'disputed after return':
    'a payment is disputed that was returned before: respond to the dispute, or it is returned twice',
  returned: 'a provider has returned money on its own',
} as const;

function report(
  { log }: PaymentServices,
  payment: Payment,
  { amountMinor, event }: { amountMinor: bigint; event: keyof typeof texts },
) {
  log.error(
    {
      payment: payment.id,
      accountId: payment.accountId,
      amount: amountText(minorUnits(amountMinor), payment.currency),
    },
    texts[event],
  );
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
