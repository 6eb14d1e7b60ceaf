/** Reads a Checkout Session, or the intent of a charge of a saved card, with its charge, and what disputes have taken back. */
import type Stripe from 'stripe';
import { minorUnits } from '../../../money/payment-money.ts';
import type { ProviderCard, ProviderDispute, ProviderPayment } from '../payment-method.ts';

/** Stripe takes no money for them. */
const inquiries: ReadonlySet<string> = new Set([
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
    disputes: readDisputes(disputes),
    card: state === 'paid' ? cardOf(intent, session.customer) : null,
    raw: JSON.stringify({ session, disputes }),
  };
}

export function readIntent(intent: Stripe.PaymentIntent, disputes: readonly Stripe.Dispute[]): ProviderPayment {
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
  const state = intent.status === 'succeeded' ? 'paid' : intent.status === 'processing' ? 'pending' : 'declined';
  return {
    reference: intent.id,
    paymentId: intent.metadata.payment_id ?? null,
    isOurs: intent.metadata.payment_id !== undefined,
    state,
    amountMinor: minorUnits(BigInt(intent.amount)),
    currency: intent.currency.toUpperCase(),
    paidAt: state === 'paid' ? new Date((charge?.created ?? intent.created) * 1_000) : null,
    refundedMinor: minorUnits(BigInt(charge?.amount_refunded ?? 0)),
    disputes: readDisputes(disputes),
    card: null,
    raw: JSON.stringify({ intent, disputes }),
  };
}

function readDisputes(disputes: readonly Stripe.Dispute[]): ProviderDispute[] {
  return disputes
    .filter(({ status }) => !inquiries.has(status))
    .map(({ id, amount, status }) => ({
      reference: id,
      amountMinor: minorUnits(BigInt(amount)),
      isWon: status === 'won',
    }));
}

function cardOf(
  intent: Stripe.PaymentIntent | null,
  customer: Stripe.Checkout.Session['customer'],
): ProviderCard | null {
  if (intent === null || intent.setup_future_usage !== 'off_session') return null;
  const reference = idOf(intent.payment_method);
  if (reference === null) return null;
  const charge = typeof intent.latest_charge === 'object' ? intent.latest_charge : null;
  const { brand, last4 } = charge?.payment_method_details?.card ?? {};
  return { reference, customer: idOf(customer), title: `${brand ?? 'Card'} •••• ${last4 ?? ''}`.trim() };
}

function idOf(object: string | { readonly id: string } | null): string | null {
  return typeof object === 'string' ? object : (object?.id ?? null);
}

function stateOf(session: Stripe.Checkout.Session, intent: Stripe.PaymentIntent | null): ProviderPayment['state'] {
  if (session.payment_status === 'paid') return 'paid';
  if (session.status === 'expired') return 'expired';
  // A payment that takes days has failed in the end: the session stays complete, its intent wants another method.
  if (session.status === 'complete' && intent?.status === 'requires_payment_method') return 'declined';
  return 'pending';
}
