/**
 * Carries a refund out: the money is set aside in the wallet, the provider returns it, the ledger books it. Each step can
 * be repeated, so the worker continues what a killed admin has begun. The provider comes first: nothing is booked that it
 * has not returned.
 */
import { eq } from 'drizzle-orm';
import { formatUsd, nanoUsd } from '../../../shared/money.ts';
import type { Transaction } from '../../database/connect.ts';
import { amountText, changePayment, findPayment, lockPayment, type Payment } from '../../database/rows/payment.ts';
import { paymentRefunds } from '../../database/tables/payments.ts';
import { postWithdrawal } from '../../ledger/post-credit.ts';
import { minorUnits } from '../../money/payment-money.ts';
import { writeEvent } from '../../operations/webhook-events/write-event.ts';
import { deliverOutbox } from '../../wallets/deliver-outbox.ts';
import { deliverCredit, reportedAmount } from '../book-payment.ts';
import { ProviderError, type ProviderRefundInput, type RefundResult } from '../methods/payment-method.ts';
import { queuePaymentMail } from '../payment-mails.ts';
import type { PaymentServices } from '../payment-services.ts';
import type { Refund } from './find-refunds.ts';

/** Providers keep idempotency keys for 24 hours. */
const keyLifeMs = 23 * 3_600_000;
/** Longer than the pause between two attempts, so that the money stays set aside until the refund has ended. */
const holdMs = 30 * 60_000;
/** How long a provider may refuse to say whether it has returned the money, before an operator has to find out. */
const reviewAfterMs = 24 * 3_600_000;

/** Throws ProviderError `unavailable`, or if a store cannot be reached; then it stays pending. */
export async function runRefund(services: PaymentServices, refundId: string): Promise<void> {
  const refund = await findRefund(services, refundId);
  if (refund.status !== 'pending') return;
  const payment = await findPayment(services.database.db, refund.paymentId);
  const held = await setAside(services, payment, refund);
  if (held === 'later') return;
  const result = knownResult(refund) ?? (await requestOrGiveUp(services, { payment, refund, held }));
  if (result === undefined) return;
  if (result.state === 'refused') {
    await services.withdrawals.giveBack({ id: refund.id, accountId: payment.accountId });
    return refuse(services, { payment, refund, problem: result.problem ?? 'the provider refused it' });
  }
  if (result.state === 'pending') return remember(services, refund, result);
  // What the provider has returned is gone, whether or not the wallet still has it.
  const heldNano = held === 'short' ? refund.amountNano : held;
  await services.database.db.transaction((transaction) =>
    finish(transaction, { refundId, heldNano, result, at: services.now() }),
  );
  await deliverCredit(services, payment.accountId);
}

/** Undefined if the provider has to be asked. */
function knownResult({ kind, settledAs }: Refund): RefundResult | undefined {
  const isReturned = kind === 'reversed' || settledAs === 'returned';
  if (isReturned) return { state: 'succeeded', reference: null, problem: null };
  if (settledAs === null) return undefined;
  return { state: 'refused', reference: null, problem: 'an operator found that the provider has not returned it' };
}

/** How much is set aside. A reversal takes what is there, which may be nothing; so a credit on its way comes first. */
async function setAside(
  { withdrawals, database, keeper }: PaymentServices,
  { accountId }: Payment,
  { id, kind, amountNano }: Refund,
): Promise<bigint | 'short' | 'later'> {
  const isReversed = kind === 'reversed';
  if (isReversed) await deliverOutbox({ sql: database.sql, keeper }, accountId);
  const hold = { amountNano, lowestNano: isReversed ? 0n : amountNano, holdMs };
  const result = await withdrawals.setAside({ id, accountId }, hold);
  if (result.ok) return result.amountNano;
  // Another admin has ended it, or was killed after the provider's refusal: the provider responds the same again.
  if (result.reason === 'ended') return amountNano;
  if (result.reason === 'unavailable') return 'later';
  return isReversed ? 0n : 'short';
}

/** Undefined if the balance does not cover a refund that the provider has not been asked for yet. */
async function requestOrGiveUp(
  services: PaymentServices,
  { payment, refund, held }: { payment: Payment; refund: Refund; held: bigint | 'short' },
): Promise<RefundResult | undefined> {
  const { sql } = services.database;
  if (held === 'short') {
    // While this one was pending, a refund made in the provider's own cabinet could not be told from it.
    const given = await sql`
      WITH refused AS (
        UPDATE payment_refunds SET status = 'refused', problem = 'the balance does not cover it any more',
          finished_at = ${services.now()}
        WHERE id = ${refund.id} AND status = 'pending' AND asked_at IS NULL RETURNING payment_id
      )
      UPDATE payments SET next_ask_at = ${services.now()} WHERE id IN (SELECT payment_id FROM refused)`;
    if (given.count > 0) return undefined;
  }
  const claimed = await sql`
    UPDATE payment_refunds SET asked_at = coalesce(asked_at, ${services.now()})
    WHERE id = ${refund.id} AND status = 'pending'`;
  if (claimed.count > 0) return requestRefund(services, payment, refund);
  // Ended by another admin: if it was refused, what was set aside here is not needed.
  const { status } = await findRefund(services, refund.id);
  if (status === 'refused') await services.withdrawals.giveBack({ id: refund.id, accountId: payment.accountId });
  return undefined;
}

/** Undefined if it is in review. */
async function requestRefund(
  services: PaymentServices,
  payment: Payment,
  refund: Refund,
): Promise<RefundResult | undefined> {
  const method = services.methods.get(payment.method);
  if (method === undefined) throw new Error(`the payment method ${payment.method} is no longer configured`);
  const input: ProviderRefundInput = {
    refundId: refund.id,
    reference: refund.providerReference,
    paymentReference: payment.providerReference ?? '',
    amountMinor: minorUnits(refund.amountMinor),
    currency: payment.currency,
    description: `Refund ${amountText(refund.amountMinor, payment.currency)}`,
    email: payment.email,
  };
  try {
    if (mayBeForgotten(refund, services.now())) return (await method.findRefund(input)) ?? (await method.refund(input));
    const result = await method.refund(input);
    // A call before this one was never answered, and may have been carried out.
    const mayBeMade = result.state === 'refused' && refund.providerReference === null && refund.askedAt !== null;
    return mayBeMade ? ((await method.findRefund(input)) ?? result) : result;
  } catch (error) {
    const isDenied = error instanceof ProviderError && error.kind !== 'unavailable';
    if (!isDenied || ageMs(refund, services.now()) < reviewAfterMs) throw error;
    return review(services, refund, error.message);
  }
}

/**
 * The provider is still asked, in case it responds again, and the money stays set aside. Logged and noted once. Always
 * undefined.
 */
async function review({ database, log, now }: PaymentServices, refund: Refund, refusal: string): Promise<undefined> {
  const problem = `the provider does not report whether it has returned the money (${refusal}): look it up there`;
  const begun = await database.sql`
    UPDATE payment_refunds SET review_since = ${now()}, problem = ${problem}
    WHERE id = ${refund.id} AND status = 'pending' AND review_since IS NULL`;
  if (begun.count > 0) log.error({ payment: refund.paymentId, refund: refund.id, problem }, 'a refund is in review');
}

/**
 * Whether an attempt was never answered, and its key is so old that the provider may have forgotten it: the call would
 * return the money again.
 */
function mayBeForgotten(refund: Refund, now: Date): boolean {
  return refund.providerReference === null && ageMs(refund, now) >= keyLifeMs;
}

/** Since the provider was first asked. */
function ageMs({ askedAt }: Refund, now: Date): number {
  return askedAt === null ? 0 : now.getTime() - askedAt.getTime();
}

/**
 * Only once, because the payment is locked. The provider is queried again afterwards: while a refund of ours was under way, its
 * sum may have hidden one that was made in its own cabinet, and the response that caused a reversal may have been an old one.
 * What is owed is then collected, too.
 */
async function finish(
  transaction: Transaction,
  { refundId, heldNano, result, at }: { refundId: string; heldNano: bigint; result: RefundResult; at: Date },
): Promise<void> {
  const [found] = await transaction.select().from(paymentRefunds).where(eq(paymentRefunds.id, refundId));
  if (found === undefined) return;
  const { payment } = await lockPayment(transaction, found.paymentId);
  const [refund] = await transaction.select().from(paymentRefunds).where(eq(paymentRefunds.id, refundId)).for('update');
  if (refund?.status !== 'pending') return;
  const amount = amountText(refund.amountMinor, payment.currency);
  const isReversed = refund.kind === 'reversed';
  const booked =
    heldNano === 0n
      ? undefined
      : await postWithdrawal(transaction, {
          accountId: payment.accountId,
          amountNano: nanoUsd(heldNano),
          reason: isReversed ? `${refund.reason}: ${amount}` : `Refund of ${amount}`,
          idempotencyKey: refund.id,
          holdId: refund.id,
        });
  const owedNano = refund.amountNano - heldNano;
  await transaction
    .update(paymentRefunds)
    .set({
      status: 'succeeded',
      amountNano: heldNano,
      owedNano,
      providerReference: result.reference,
      transactionId: booked?.transactionId ?? null,
      finishedAt: at,
    })
    .where(eq(paymentRefunds.id, refund.id));
  const refundedMinor = payment.refundedMinor + refund.amountMinor;
  await changePayment(transaction, payment, {
    refundedMinor,
    owedNano: payment.owedNano + owedNano,
    status: refundedMinor === payment.amountMinor ? 'refunded' : 'succeeded',
    nextAskAt: at,
  });
  const amounts = { amountMinor: String(refund.amountMinor), currency: payment.currency };
  await queuePaymentMail(transaction, payment, {
    kind: 'payment_refunded',
    data: { ...amounts, isReversed, balanceNano: booked === undefined ? null : String(booked.balanceNano) },
  });
  await writeEvent(transaction, payment.accountId, {
    type: 'payment.refunded',
    data: {
      ...{ paymentId: payment.id, refundId: refund.id, isReversed },
      ...reportedAmount({ amountMinor: refund.amountMinor, currency: payment.currency }),
      balanceUsd: booked === undefined ? null : formatUsd(booked.balanceNano),
    },
  });
}

async function refuse(
  { database, log, now }: PaymentServices,
  { payment, refund, problem }: { payment: Payment; refund: Refund; problem: string },
): Promise<void> {
  log.warn({ payment: payment.id, refund: refund.id, problem }, 'a refund was refused');
  await database.sql`
    WITH refused AS (
      UPDATE payment_refunds SET status = 'refused', problem = ${problem}, finished_at = ${now()}
      WHERE id = ${refund.id} AND status = 'pending' RETURNING payment_id
    )
    UPDATE payments SET next_ask_at = ${now()} WHERE id IN (SELECT payment_id FROM refused)`;
}

/** It is no longer in review, because the provider has said what has become of it. */
async function remember({ database }: PaymentServices, refund: Refund, { reference }: RefundResult): Promise<void> {
  await database.sql`
    UPDATE payment_refunds SET provider_reference = ${reference}, review_since = NULL, problem = NULL
    WHERE id = ${refund.id} AND status = 'pending'`;
}

export async function findRefund({ database }: Pick<PaymentServices, 'database'>, id: string): Promise<Refund> {
  const [refund] = await database.db.select().from(paymentRefunds).where(eq(paymentRefunds.id, id));
  if (refund === undefined) throw new Error(`there is no refund ${id}`);
  return refund;
}
