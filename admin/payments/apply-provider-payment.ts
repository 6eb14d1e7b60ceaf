/**
 * Acts on what a provider says about a payment. The only place that validates it: amount, currency, shop and id must be those
 * of the order, or an operator decides. Repeated, late or out-of-order reports change nothing, because only the
 * difference to what is booked counts.
 */
import { methodTitle } from '../../shared/payment-methods.ts';
import {
  amountText,
  changePayment,
  isBooked,
  lockPayment,
  type Payment,
  recordEvent,
} from '../database/rows/payment.ts';
import { keepCard } from './auto-top-up/saved-card.ts';
import { bookPayment, deliverCredit, rateOfPayment } from './book-payment.ts';
import type { ProviderPayment } from './methods/payment-method.ts';
import { queuePaymentMail } from './payment-mails.ts';
import type { PaymentServices } from './payment-services.ts';
import { collectOwed } from './refunds/collect-owed.ts';
import type { ProviderResponse } from './refunds/find-refunds.ts';
import { restorePayment } from './refunds/restore-payment.ts';
import { reversePayment } from './refunds/reverse-payment.ts';

/**
 * Returns whether the provider has said that this payment will never be paid. Throws if the rate of the payment's day is not
 * known yet, or a store cannot be reached; then ask again later.
 */
export async function applyProviderPayment(
  services: PaymentServices,
  payment: Payment,
  providerPayment: ProviderResponse,
): Promise<boolean> {
  const isClaim = payment.providerReference === null;
  if (isClaim && (providerPayment.paymentId !== payment.id || !providerPayment.isOurs)) {
    // A notification has named another customer's payment.
    await changePayment(services.database.db, payment, { claimedReference: null });
    return false;
  }
  const problem = findProblem(payment, providerPayment);
  if (problem !== undefined) {
    if (isConfirmed(payment, providerPayment)) await applyReturns(services, payment, providerPayment);
    else await review(services, payment, { providerPayment, problem });
    return false;
  }
  if (isClaim) {
    const { reference } = providerPayment;
    await changePayment(services.database.db, payment, { providerReference: reference, claimedReference: null });
  }
  if (providerPayment.state === 'paid') await applyPaid(services, payment, providerPayment);
  if (providerPayment.state === 'paid' || providerPayment.state === 'pending') return false;
  if (payment.status === 'pending')
    await end(services, payment, {
      providerPayment,
      status: providerPayment.state === 'declined' ? 'canceled' : 'expired',
    });
  return true;
}

/** An operator has booked it as it is; what the provider returns of it is taken back as of any other payment. */
function isConfirmed(payment: Payment, { paymentId, currency, state }: ProviderPayment): boolean {
  return isBooked(payment) && state === 'paid' && paymentId === payment.id && currency === payment.currency;
}

function findProblem(payment: Payment, providerPayment: ProviderPayment): string | undefined {
  if (!providerPayment.isOurs) return 'the provider says that it belongs to another shop';
  if (providerPayment.paymentId !== payment.id) return 'the provider says that it is another payment';
  if (providerPayment.amountMinor === payment.amountMinor && providerPayment.currency === payment.currency)
    return undefined;
  const [expected, paid] = [
    amountText(payment.amountMinor, payment.currency),
    amountText(providerPayment.amountMinor, providerPayment.currency),
  ];
  return `the order was ${expected}, the provider says ${paid}`;
}

async function applyPaid(
  services: PaymentServices,
  payment: Payment,
  providerPayment: ProviderResponse,
): Promise<void> {
  if (payment.status === 'review') return;
  const { paidAt } = providerPayment;
  if (!isBooked(payment)) {
    if (paidAt === null) throw new Error(`payment ${payment.id} is paid without a time`);
    const title = methodTitle(payment.method);
    const rate = await rateOfPayment(services, paidAt);
    const { database, log } = services;
    await recordEvent(database.db, { paymentId: payment.id, kind: 'answer', body: providerPayment.raw });
    const booking = { paymentId: payment.id, paidAt, rate, title, reference: providerPayment.reference };
    const result = await database.db.transaction(async (transaction) => {
      const booked = await bookPayment(transaction, booking);
      const { savesCard } = payment;
      if (booked.outcome === 'booked' && savesCard && providerPayment.card !== null)
        await keepCard(transaction, payment, { card: providerPayment.card, at: services.now() });
      return booked;
    });
    if (result.outcome === 'review') {
      log.error({ payment: payment.id, problem: result.problem }, 'a paid payment needs an operator');
      return;
    }
    await deliverCredit(services, payment.accountId);
  }
  await applyReturns(services, payment, providerPayment);
}

async function applyReturns(
  services: PaymentServices,
  payment: Payment,
  providerPayment: ProviderResponse,
): Promise<void> {
  await reversePayment(services, payment.id, providerPayment);
  // The returned amount may have been refunded in the meantime.
  if (await restorePayment(services, payment.id, providerPayment))
    await reversePayment(services, payment.id, providerPayment);
  await collectOwed(services, payment.id);
}

async function review(
  { database, log }: PaymentServices,
  payment: Payment,
  { providerPayment, problem }: { providerPayment: ProviderPayment; problem: string },
): Promise<void> {
  log.error({ payment: payment.id, problem }, 'a payment does not match its order; an operator decides');
  await database.db.transaction(async (transaction) => {
    const { payment: current } = await lockPayment(transaction, payment.id);
    if (isBooked(current) || current.status === 'review') return;
    await recordEvent(transaction, { paymentId: payment.id, kind: 'answer', body: providerPayment.raw });
    await changePayment(transaction, payment, { status: 'review', problem });
  });
}

async function end(
  { database }: PaymentServices,
  payment: Payment,
  { providerPayment, status }: { providerPayment: ProviderPayment; status: 'canceled' | 'expired' },
): Promise<void> {
  await database.db.transaction(async (transaction) => {
    const { payment: current } = await lockPayment(transaction, payment.id);
    if (current.status !== 'pending') return;
    await recordEvent(transaction, { paymentId: payment.id, kind: 'answer', body: providerPayment.raw });
    await changePayment(transaction, payment, { status });
    // Automatic ones are reported when their outcome is counted.
    if (status === 'expired' || payment.cardId !== null) return;
    const { amountMinor, currency } = payment;
    await queuePaymentMail(transaction, payment, {
      kind: 'payment_failed',
      data: { amountMinor: String(amountMinor), currency },
    });
  });
}
