/** Reads a Checkout Session with its charge, and what disputes have taken back. */
import type Stripe from 'stripe';
import { type MinorUnits, minorUnits } from '../../../../shared/payment-money.ts';
import type { ProviderPayment } from '../payment-method.ts';

/** Disputes in which Stripe does not keep the money: inquiries, and those that were won. */
const withoutLoss: ReadonlySet<string> = new Set([
  'won',
  'prevented',
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
]);

export function readSession(session: Stripe.Checkout.Session, disputes: readonly Stripe.Dispute[]): ProviderPayment {
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null;
  const charge = typeof intent?.latest_charge === 'object' ? intent.latest_charge : null;
  const state = stateOf(session, intent);
  return {
    reference: session.id,
    paymentId: session.client_reference_id,
    isOurs: session.client_reference_id !== null && session.metadata?.payment_id === session.client_reference_id,
    state,
    amountMinor: minorUnits(BigInt(session.amount_total ?? 0)),
    currency: (session.currency ?? '').toUpperCase(),
    paidAt: state === 'paid' ? new Date((charge?.created ?? session.created) * 1_000) : null,
    refundedMinor: minorUnits(BigInt(charge?.amount_refunded ?? 0)),
    disputedMinor: sumOf(disputes.filter(({ status }) => !withoutLoss.has(status))),
    raw: JSON.stringify({ session, disputes }),
  };
}

function stateOf(session: Stripe.Checkout.Session, intent: Stripe.PaymentIntent | null): ProviderPayment['state'] {
  if (session.payment_status === 'paid') return 'paid';
  if (session.status === 'expired') return 'expired';
  // A payment that takes days has failed in the end: the session stays complete, its intent wants another method.
  if (session.status === 'complete' && intent?.status === 'requires_payment_method') return 'declined';
  return 'pending';
}

function sumOf(disputes: readonly Stripe.Dispute[]): MinorUnits {
  return minorUnits(disputes.reduce((sum, { amount }) => sum + BigInt(amount), 0n));
}
