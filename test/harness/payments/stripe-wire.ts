/** Stripe's wire format, as documented: https://docs.stripe.com/api. */
import { createHmac } from 'node:crypto';
import type {
  HeldPayment,
  HeldRefund,
  ScriptedPaymentProvider,
  Wire,
  WireCall,
  WireResponse,
} from './scripted-provider.ts';

export const stripeSecret = 'sk_test_of_the_script';
export const stripeWebhookSecret = 'whsec_of_the_script';

const refused = (status: number, message: string): WireResponse => ({
  status,
  body: { error: { type: 'invalid_request_error', message } },
});
const listOf = (data: object[]): WireResponse => ({ status: 200, body: { object: 'list', data, has_more: false } });
const intentOf = ({ reference, card }: HeldPayment) => (card === undefined ? `pi_${reference}` : reference);

export const stripeWire: Wire = {
  idempotencyHeader: 'idempotency-key',
  chargePrefix: 'pi',
  respond: (call, provider) => {
    if (call.headers.authorization !== `Bearer ${stripeSecret}`) return refused(401, 'Invalid API Key');
    const held = [...provider.payments.values()];
    const onPage = held.filter(({ card }) => card === undefined);
    const byIntent = held.find((payment) => intentOf(payment) === call.query.get('payment_intent'));
    const [, , kind = '', id = ''] = call.path.replace('/checkout/', '/').split('/');
    if (kind === 'balance') return { status: 200, body: { object: 'balance', livemode: false } };
    if (kind === 'payment_intents' && call.method === 'POST') return charge(call, provider);
    if (kind === 'payment_intents') return findIntent(id, provider);
    if (kind === 'sessions' && call.method === 'POST') return create(call, provider);
    if (kind === 'sessions' && id === '' && !call.query.has('payment_intent')) {
      return listOf(onPage.map((payment) => sessionObject(payment)));
    }
    const isOnPage = byIntent !== undefined && byIntent.card === undefined;
    if (kind === 'sessions' && id === '') return listOf(isOnPage ? [sessionObject(byIntent)] : []);
    if (kind === 'disputes') return listOf(byIntent === undefined ? [] : disputesOf(byIntent));
    if (kind === 'refunds' && call.method === 'POST') return refund(call, provider);
    if (kind === 'refunds' && id === '') return listOf(provider.refundsOf(byIntent).map(refundObject));
    const found = kind === 'refunds' ? provider.refunds.get(id) : provider.payments.get(id);
    if (found === undefined) return refused(404, 'No such object');
    if ('payment' in found) return { status: 200, body: refundObject(found) };
    const refunds = call.query.has('expand[0]') ? provider.refundsOf(found) : undefined;
    return { status: 200, body: sessionObject(found, refunds) };
  },
};

function create(call: WireCall, provider: ScriptedPaymentProvider): WireResponse {
  const form = new URLSearchParams(call.body);
  const paymentId = form.get('client_reference_id');
  if (paymentId === null || form.get('metadata[payment_id]') !== paymentId) return refused(400, 'No reference');
  const price = (name: string) => form.get(`line_items[0][price_data][${name}]`) ?? '';
  const payment = provider.open({
    paymentId,
    amountMinor: BigInt(price('unit_amount')),
    currency: price('currency').toUpperCase(),
    savesCard: form.get('payment_intent_data[setup_future_usage]') === 'off_session',
  });
  return { status: 200, body: sessionObject(payment) };
}

/** A declined card is an error of the call, although Stripe keeps the intent. */
function charge(call: WireCall, provider: ScriptedPaymentProvider): WireResponse {
  const form = new URLSearchParams(call.body);
  const [paymentId, card] = [form.get('metadata[payment_id]'), form.get('payment_method')];
  const isKnown = [...provider.payments.values()].some(
    (held) => held.savesCard === true && held.state === 'paid' && `pm_${held.reference}` === card,
  );
  if (paymentId === null || card === null || !isKnown || form.get('off_session') !== 'true') {
    return refused(400, 'No such card');
  }
  const amountMinor = BigInt(form.get('amount') ?? '0');
  const currency = (form.get('currency') ?? '').toUpperCase();
  const payment = provider.open({ paymentId, amountMinor, currency, card });
  if (payment.state === 'declined')
    return { status: 402, body: { error: { type: 'card_error', message: 'Declined' } } };
  return { status: 200, body: intentObject(payment) };
}

function findIntent(id: string, provider: ScriptedPaymentProvider): WireResponse {
  const charges = [...provider.payments.values()].filter(({ card }) => card !== undefined);
  if (id === '') return listOf(charges.map((payment) => intentObject(payment)));
  const found = charges.find(({ reference }) => reference === id);
  if (found === undefined) return refused(404, 'No such object');
  return { status: 200, body: intentObject(found, provider.refundsOf(found)) };
}

function refund(call: WireCall, provider: ScriptedPaymentProvider): WireResponse {
  const form = new URLSearchParams(call.body);
  const payment = [...provider.payments.values()].find((held) => intentOf(held) === form.get('payment_intent'));
  const made =
    payment && provider.giveBack(payment, BigInt(form.get('amount') ?? '0'), form.get('metadata[refund_id]') ?? '');
  return made === undefined ? refused(400, 'Refund amount is greater') : { status: 200, body: refundObject(made) };
}

/** The intent is expanded if there are refunds to list. */
function sessionObject(payment: HeldPayment, refunds?: readonly HeldRefund[]): object {
  const { state, reference } = payment;
  // Another shop's sessions are not ours: their reference is not the one in our metadata.
  const isForeign = payment.shop !== '506751';
  const status = state === 'pending' ? 'open' : state === 'expired' ? 'expired' : 'complete';
  return {
    id: reference,
    object: 'checkout.session',
    status,
    payment_status: state === 'paid' ? 'paid' : 'unpaid',
    amount_total: Number(payment.amountMinor),
    currency: payment.currency.toLowerCase(),
    client_reference_id: payment.paymentId,
    metadata: { payment_id: isForeign ? 'another' : payment.paymentId },
    created: Math.floor(payment.createdAt.getTime() / 1_000),
    url: `https://checkout.stripe.com/c/pay/${reference}`,
    customer: payment.savesCard === true ? `cus_${reference}` : null,
    payment_intent: status !== 'complete' ? null : refunds ? intentObject(payment, refunds) : intentOf(payment),
  };
}

function intentObject(payment: HeldPayment, refunds: readonly HeldRefund[] = []): object {
  const isPaid = payment.state === 'paid';
  return {
    id: intentOf(payment),
    object: 'payment_intent',
    status: isPaid
      ? 'succeeded'
      : payment.card !== undefined && payment.state === 'pending'
        ? 'processing'
        : 'requires_payment_method',
    amount: Number(payment.amountMinor),
    currency: payment.currency.toLowerCase(),
    created: Math.floor(payment.createdAt.getTime() / 1_000),
    metadata: { payment_id: payment.paymentId },
    setup_future_usage: payment.savesCard === true ? 'off_session' : null,
    payment_method: payment.savesCard === true ? `pm_${payment.reference}` : null,
    latest_charge: isPaid
      ? {
          id: `ch_${payment.reference}`,
          object: 'charge',
          created: Math.floor((payment.paidAt ?? payment.createdAt).getTime() / 1_000),
          amount_refunded: Number(payment.refundedMinor + failedMinorOf(refunds)),
          refunds: refundsObject(payment, refunds),
          disputed: payment.disputes.length > 0,
          payment_method_details: { card: { brand: 'visa', last4: '4242' } },
        }
      : null,
  };
}

const failedMinorOf = (refunds: readonly HeldRefund[]) =>
  refunds.filter(({ state }) => state === 'refused').reduce((sum, { amountMinor }) => sum + amountMinor, 0n);

/** With what was refunded in the dashboard, as one of them. */
function refundsObject({ reference, refundedMinor }: HeldPayment, refunds: readonly HeldRefund[]): object {
  const ours = refunds.filter(({ state }) => state !== 'refused').reduce((sum, refund) => sum + refund.amountMinor, 0n);
  const outside = {
    id: `re_${reference}`,
    object: 'refund',
    amount: Number(refundedMinor - ours),
    status: 'succeeded',
  };
  return listOf([...refunds.map(refundObject), ...(refundedMinor > ours ? [outside] : [])]).body;
}

function disputesOf({ disputes }: HeldPayment): object[] {
  return disputes.map(({ reference, amountMinor, isWon }) => ({
    id: reference,
    object: 'dispute',
    amount: Number(amountMinor),
    status: isWon ? 'won' : 'needs_response',
  }));
}

function refundObject({ reference, amountMinor, label, state }: HeldRefund): object {
  const status = state === 'refused' ? 'failed' : state;
  const metadata = { refund_id: label };
  return { id: reference, object: 'refund', amount: Number(amountMinor), metadata, status, failure_reason: null };
}

interface StripeNotification {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function stripeNotification(
  payment: HeldPayment,
  { type = 'checkout.session.completed', secret = stripeWebhookSecret, at = new Date() } = {},
): StripeNotification {
  const object = /^(charge|refund)\./.test(type)
    ? { id: 'ch_1', object: type.split('.')[1], payment_intent: intentOf(payment) }
    : type.startsWith('payment_intent.')
      ? intentObject(payment)
      : sessionObject(payment);
  const body = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });
  return { body, headers: { 'stripe-signature': sign(body, secret, at) } };
}

function sign(body: string, secret: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1_000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}
