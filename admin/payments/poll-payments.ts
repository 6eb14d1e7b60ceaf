/**
 * Polls providers for payments, because notifications get lost: first after 15 seconds, then with growing pauses for a
 * day, or until a provider that cannot be reached has responded. A notification only makes a payment due immediately. Also ends
 * unpaid payments, and continues refunds.
 *
 * Each provider is queried as fast as it responds, in the order in which payments became due, and a few of them at a time. So
 * a thousand notifications are booked without a pause, and a slow provider holds up no other.
 *
 * A claim is a lease: it moves the next question to its end in one short statement. So several admins share the work, a
 * killed one's payments are taken over, and a notification that arrives during the query is not lost, because it
 * moves the time again.
 */
import type { Log } from '../../shared/log.ts';
import { findPayment, type Payment } from '../database/rows/payment.ts';
import { applyProviderPayment } from './apply-provider-payment.ts';
import { mayOpen, openPayment } from './creation/open-payment.ts';
import { ProviderError } from './methods/payment-method.ts';
import type { PaymentServices } from './payment-services.ts';
import { readEndedRefunds } from './refunds/find-refunds.ts';
import { runRefund } from './refunds/run-refund.ts';

const leaseMs = 90_000;
/** Of one provider, on each replica. */
export const polledAtOnce = 10;
const firstPauseMs = 15_000;
const longestPauseMs = 30 * 60_000;
const pollingMaxMs = 24 * 3_600_000;

interface Claim {
  readonly id: string;
  readonly asks: number;
  readonly leasedUntil: Date;
}

interface Due {
  readonly method: string;
  readonly at: Date;
}

/** Of a question. `ended`: the provider has said that the payment will never be paid. */
type Outcome = 'no_response' | 'pending' | 'ended';

/** One step of everything that this file does. Returns how many payments and refunds were due. */
export async function pollDuePayments(services: PaymentServices): Promise<number> {
  const expired = await expirePayments(services);
  const counts = await Promise.all([...services.methods.keys()].map((method) => pollProvider(services, method)));
  return counts.reduce((sum, count) => sum + count, expired);
}

/**
 * Asks one provider about everything that is due now, and continues its refunds. One's failure does not stop the others.
 * After `stopping`, nothing more is begun. Returns how many payments and refunds were due.
 */
export async function pollProvider(services: PaymentServices, method: string, stopping?: AbortSignal): Promise<number> {
  // What becomes due in between is left to the next step, so that this one ends.
  const due: Due = { method, at: services.now() };
  const [payments, refunds] = await Promise.all([
    workThrough(
      (count) => claimPayments(services, due, count),
      (claim) => guarded(services.log, { payment: claim.id }, () => pollClaimed(services, claim)),
      stopping,
    ),
    workThrough(
      (count) => claimRefunds(services, due, count),
      ({ id }) => guarded(services.log, { refund: id }, () => runRefund(services, id)),
      stopping,
    ),
  ]);
  return payments + refunds;
}

/** A few at a time: as soon as one is done, the next one is claimed. Returns how many there were. */
async function workThrough<Item>(
  claim: (count: number) => Promise<readonly Item[]>,
  work: (item: Item) => Promise<void>,
  stopping?: AbortSignal,
): Promise<number> {
  let count = 0;
  const workOn = async (first: Item) => {
    for (let item: Item | undefined = first; item !== undefined; ) {
      count += 1;
      await work(item);
      [item] = stopping?.aborted ? [] : await claim(1);
    }
  };
  await Promise.all((await claim(polledAtOnce)).map(workOn));
  return count;
}

/**
 * Asks the provider now, and acts on the response. Returns whether the payment has ended unpaid. Throws ProviderError
 * `unavailable`, or if a store cannot be reached.
 */
export async function pollPayment(services: PaymentServices, payment: Payment): Promise<boolean> {
  const method = services.methods.get(payment.method);
  if (method === undefined || !method.isPolled) return false;
  const { claimedReference } = payment;
  const opened =
    claimedReference === null && mayOpen(payment, services.now()) ? await openPayment(services, payment) : payment;
  const reference = opened.providerReference ?? claimedReference;
  const isAutomatic = opened.cardId !== null;
  const endedRefunds = await readEndedRefunds(services.database.db, opened.id);
  const providerPayment = await method.query({
    paymentId: opened.id,
    reference,
    createdAt: opened.createdAt,
    isAutomatic,
  });
  if (providerPayment !== undefined)
    return applyProviderPayment(services, opened, { ...providerPayment, endedRefunds });
  if (claimedReference !== null) {
    await services.database.sql`
      UPDATE payments SET claimed_reference = NULL
      WHERE id = ${opened.id} AND claimed_reference = ${claimedReference}`;
  }
  return false;
}

async function pollClaimed(services: PaymentServices, claim: Claim): Promise<void> {
  const payment = await findPayment(services.database.db, claim.id);
  let outcome: Outcome = 'no_response';
  try {
    outcome = (await pollPayment(services, payment)) ? 'ended' : 'pending';
  } finally {
    await schedule(services, claim, outcome);
  }
}

/** Payments that are not booked are queried again, unless the provider's response was final, or something made them due. */
async function schedule({ database, now }: PaymentServices, claim: Claim, outcome: Outcome): Promise<void> {
  const hasResponded = outcome !== 'no_response';
  const at = now();
  const next = new Date(at.getTime() + pauseMs(claim.asks));
  const oldest = new Date(at.getTime() - pollingMaxMs);
  await database.sql`
    UPDATE payments SET
      status = CASE WHEN status = 'pending' AND ${hasResponded} AND expires_at <= ${at} THEN 'expired' ELSE status END,
      next_ask_at = CASE
        WHEN ${outcome === 'ended'} THEN NULL
        WHEN NOT ${hasResponded} THEN ${next}::timestamptz
        WHEN status IN ('pending', 'expired', 'canceled') AND created_at > ${oldest} THEN ${next}::timestamptz
      END
    WHERE id = ${claim.id} AND asks = ${claim.asks} AND next_ask_at = ${claim.leasedUntil}`;
}

export function pauseMs(asks: number): number {
  return Math.min(firstPauseMs * 2 ** Math.min(Math.max(asks - 1, 0), 20), longestPauseMs);
}

async function claimPayments({ database, now }: PaymentServices, { method, at }: Due, count: number): Promise<Claim[]> {
  const leasedUntil = new Date(now().getTime() + leaseMs);
  const rows = await database.sql<{ id: string; asks: number }[]>`
    UPDATE payments SET asks = asks + 1, next_ask_at = ${leasedUntil}
    WHERE id IN (
      SELECT id FROM payments WHERE next_ask_at <= ${at} AND method = ${method}
      ORDER BY next_ask_at LIMIT ${count} FOR UPDATE SKIP LOCKED)
    RETURNING id, asks`;
  return rows.map(({ id, asks }) => ({ id, asks, leasedUntil }));
}

/** A refund's attempt may be repeated at any time, so its lease is simply the pause before the next one. */
function claimRefunds(
  { database, now }: PaymentServices,
  { method, at }: Due,
  count: number,
): Promise<{ id: string }[]> {
  return database.sql<{ id: string }[]>`
    UPDATE payment_refunds SET attempts = attempts + 1,
      next_attempt_at = ${now()}::timestamptz + least(${firstPauseMs} * 2 ^ least(attempts, 10), 600000) * interval '1 ms'
    WHERE id IN (
      SELECT refund.id FROM payment_refunds AS refund JOIN payments ON payments.id = refund.payment_id
      WHERE refund.status = 'pending' AND refund.next_attempt_at <= ${at} AND payments.method = ${method}
      ORDER BY refund.next_attempt_at LIMIT ${count} FOR UPDATE OF refund SKIP LOCKED)
    RETURNING id`;
}

/** Ends payments for which no provider is queried. Returns how many. */
export async function expirePayments({ database, methods, now }: PaymentServices): Promise<number> {
  const result = await database.sql`
    UPDATE payments SET status = 'expired'
    WHERE status = 'pending' AND expires_at <= ${now()}
      AND (next_ask_at IS NULL OR method <> ALL(${[...methods.keys()]}))`;
  return result.count;
}

async function guarded(log: Log, about: object, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const level = error instanceof ProviderError ? 'warn' : 'error';
    log[level]({ ...about, err: error }, 'a payment could not be checked or refunded; it will be retried');
  }
}
