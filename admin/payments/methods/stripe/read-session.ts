/**
 * Reads a Checkout Session, or the intent of a charge of a saved card, with its charge, and what refunds and disputes have
 * taken back.
 */
import type Stripe from 'stripe';
import { minorUnits } from '../../../money/payment-money.ts';
import type { ProviderCard, ProviderDispute, ProviderFailedRefund, ProviderPayment } from '../payment-method.ts';

/** Stripe takes no money for them. */
const inquiries: ReadonlySet<string> = new Set([
  'prevented',
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
]);

/** What has happened to a charge since it was paid. */
export interface ChargeHistory {
  readonly disputes: readonly Stripe.Dispute[];
  /** Undefined if there are too many to list. */
  readonly refunds: readonly Stripe.Refund[] | undefined;
}

export function readSession(session: Stripe.Checkout.Session, history: ChargeHistory): ProviderPayment {
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null;
  const charge = chargeOf(intent);
  const state = stateOf(session, intent);
  return {
    reference: session.id,
    paymentId: session.client_reference_id,
    isOurs: session.client_reference_id !== null && session.metadata?.payment_id === session.client_reference_id,
    state,
    amountMinor: minorUnits(BigInt(session.amount_total ?? 0)),
    currency: (session.currency ?? '').toUpperCase(),
    paidAt: state === 'paid' ? new Date((charge?.created ?? session.created) * 1_000) : null,
    ...readReturned(charge, history),
    card: state === 'paid' ? cardOf(intent, session.customer) : null,
    raw: JSON.stringify({ session, ...history }),
  };
}

export function readIntent(intent: Stripe.PaymentIntent, history: ChargeHistory): ProviderPayment {
  const charge = chargeOf(intent);
  const state = intent.status === 'succeeded' ? 'paid' : intent.status === 'processing' ? 'pending' : 'declined';
  return {
    reference: intent.id,
    paymentId: intent.metadata.payment_id ?? null,
    isOurs: intent.metadata.payment_id !== undefined,
    state,
    amountMinor: minorUnits(BigInt(intent.amount)),
    currency: intent.currency.toUpperCase(),
    paidAt: state === 'paid' ? new Date((charge?.created ?? intent.created) * 1_000) : null,
    ...readReturned(charge, history),
    card: null,
    raw: JSON.stringify({ intent, ...history }),
  };
}

/** Null if it is not expanded, or there is none. */
export function chargeOf(intent: Stripe.PaymentIntent | null): Stripe.Charge | null {
  return typeof intent?.latest_charge === 'object' ? intent.latest_charge : null;
}

function readReturned(charge: Stripe.Charge | null, { disputes, refunds }: ChargeHistory) {
  const failed = refunds?.filter(hasFailed) ?? [];
  // Stripe does not document whether a charge's own sum includes refunds that failed.
  const returned = refunds?.filter((refund) => !hasFailed(refund)).reduce((sum, { amount }) => sum + amount, 0);
  return {
    refundedMinor: minorUnits(BigInt(returned ?? charge?.amount_refunded ?? 0)),
    failedRefunds: failed.map(
      ({ id, metadata, amount }): ProviderFailedRefund => ({
        reference: id,
        refundId: metadata?.refund_id ?? null,
        amountMinor: minorUnits(BigInt(amount)),
      }),
    ),
    disputes: readDisputes(disputes),
  };
}

export function hasFailed({ status }: Stripe.Refund): boolean {
  return status === 'failed' || status === 'canceled';
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
  const charge = chargeOf(intent);
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
