/**
 * Creates a payment at its provider. The payment's id is the idempotency key, so a call whose response was lost is simply
 * repeated, but not when the provider may have forgotten the key.
 */
import { eq } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import { amountText, changePayment, findPayment, lockPayment, type Payment } from '../../database/rows/payment.ts';
import { savedCards } from '../../database/tables/auto-top-ups.ts';
import { minorUnits } from '../../money/payment-money.ts';
import { ProviderError, type ProviderPaymentInput } from '../methods/payment-method.ts';
import type { PaymentServices } from '../payment-services.ts';

/** Providers keep idempotency keys for 24 hours. */
const keyLifetimeMs = 23 * 3_600_000;

export function mayOpen({ status, providerReference, createdAt }: Payment, now: Date): boolean {
  return status === 'pending' && providerReference === null && now.getTime() - createdAt.getTime() < keyLifetimeMs;
}

/** Returns the payment as it is now. A refusal cancels it. Throws ProviderError `unavailable`. */
export async function openPayment(services: PaymentServices, payment: Payment): Promise<Payment> {
  const { database, methods, now } = services;
  const method = methods.get(payment.method);
  if (method === undefined || !method.isPolled || !mayOpen(payment, now())) return payment;
  const card = await findCard(services, payment);
  // The customer has removed it. If an earlier call has reached the provider, it is found by asking.
  if (card === undefined) return payment;
  try {
    const { reference, confirmationUrl } = await method.create({
      paymentId: payment.id,
      amountMinor: minorUnits(payment.amountMinor),
      currency: payment.currency,
      description: `Top-up ${amountText(payment.amountMinor, payment.currency)}`,
      email: payment.email,
      returnUrl: payment.returnUrl,
      expiresAt: payment.expiresAt,
      savesCard: payment.savesCard,
      card,
    });
    await database.db.transaction(async (transaction) => {
      const { payment: current } = await lockPayment(transaction, payment.id);
      if (current.providerReference !== null && current.providerReference !== reference) return;
      await changePayment(transaction, payment, {
        providerReference: reference,
        confirmationUrl,
        claimedReference: null,
      });
    });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'refused') throw error;
    services.log.error({ err: error, payment: payment.id, method: method.id }, 'a payment provider refused an order');
    await cancelRefused(services, payment, error);
  }
  return findPayment(database.db, payment.id);
}

/** Null for an order that the customer pays, undefined if the card is forgotten. */
async function findCard(
  { database }: PaymentServices,
  { cardId }: Payment,
): Promise<ProviderPaymentInput['card'] | undefined> {
  if (cardId === null) return null;
  const [card] = await database.db.select().from(savedCards).where(eq(savedCards.id, cardId));
  return card === undefined || card.reference === null
    ? undefined
    : { reference: card.reference, customer: card.customer };
}

function cancelRefused({ database }: PaymentServices, payment: Payment, { message }: ProviderError): Promise<void> {
  return database.db.transaction(async (transaction) => {
    const { payment: current } = await lockPayment(transaction, payment.id);
    const { status, providerReference, claimedReference } = current;
    if (status !== 'pending' || providerReference !== null || claimedReference !== null) return;
    // A call before this one was never answered, and may have been carried out: the provider is asked again.
    const isFirst = current.asks === 0;
    await changePayment(transaction, payment, {
      ...{ status: 'canceled', problem: message },
      ...(isFirst && { nextAskAt: null }),
    });
  });
}

export function providerUnavailable(cause?: unknown): GatewayError {
  return new GatewayError(
    'payment_provider_unavailable',
    'The payment provider cannot be reached. Repeat the request with the same Idempotency-Key: nothing is ordered twice.',
    { retryAfterSeconds: 5, cause },
  );
}
