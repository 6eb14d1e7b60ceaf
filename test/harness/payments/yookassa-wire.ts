/** YooKassa's wire format, as documented: https://yookassa.ru/developers/api. */
import { formatMinorUnits, minorUnits, parseMinorUnits } from '../../../admin/money/payment-money.ts';
import {
  disputedMinorOf,
  type HeldPayment,
  type HeldReceipt,
  type HeldRefund,
  type ScriptedPaymentProvider,
  type Wire,
  type WireCall,
  type WireResponse,
} from './scripted-provider.ts';

export const yookassaSecret = 'test_secret_key_of_the_shop';

const keyMaxLength = 64;
const refused = (status: number, code: string): WireResponse => ({
  status,
  body: { type: 'error', id: 'e-1', code, description: 'Refused by the script' },
});

export const yookassaWire: Wire = {
  idempotencyHeader: 'idempotence-key',
  chargePrefix: 'pay',
  respond: (call, provider) => {
    const basic = Buffer.from(`${provider.shop}:${yookassaSecret}`).toString('base64');
    if (call.headers.authorization !== `Basic ${basic}`) return refused(401, 'invalid_credentials');
    const key = call.headers['idempotence-key'];
    if (call.method === 'POST' && (key === undefined || key.length > keyMaxLength))
      return refused(400, 'invalid_request');
    const [, kind, id] = call.path.split('/');
    if (kind === 'me') return { status: 200, body: { account_id: provider.shop, status: 'enabled', test: true } };
    if (kind === 'payments' && call.method === 'POST') return create(call, provider);
    if (kind === 'payments' && id === undefined) return list(provider);
    if (kind === 'refunds' && call.method === 'POST') return refund(call, provider);
    if (kind === 'refunds' && id === undefined) return listRefunds(call, provider);
    if (kind === 'receipts') return receipts(call, provider, id);
    const found = kind === 'refunds' ? provider.refunds.get(id ?? '') : provider.payments.get(id ?? '');
    if (found === undefined) return refused(404, 'not_found');
    return { status: 200, body: 'payment' in found ? refundObject(found) : paymentObject(found) };
  },
};

function create(call: WireCall, provider: ScriptedPaymentProvider): WireResponse {
  const { amount, metadata, confirmation, receipt, ...fields } = JSON.parse(call.body);
  const card: string | undefined = fields.payment_method_id;
  const isPaidOnPage = confirmation?.type === 'redirect';
  if (isPaidOnPage === (card !== undefined) || receipt?.items?.length !== 1) return refused(400, 'invalid_request');
  if (card !== undefined && !isSaved(provider, card)) return refused(400, 'invalid_request');
  const payment = provider.open({
    paymentId: metadata.payment_id,
    amountMinor: parseMinorUnits(amount.value),
    currency: amount.currency,
    savesCard: fields.save_payment_method === true,
    ...(card !== undefined && { card }),
  });
  return { status: 200, body: paymentObject(payment) };
}

function isSaved(provider: ScriptedPaymentProvider, card: string): boolean {
  const payment = provider.payments.get(card.replace('card-', ''));
  return payment?.savesCard === true && payment.state === 'paid';
}

function list(provider: ScriptedPaymentProvider): WireResponse {
  return { status: 200, body: { type: 'list', items: [...provider.payments.values()].map(paymentObject) } };
}

function refund(call: WireCall, provider: ScriptedPaymentProvider): WireResponse {
  const { payment_id: id, amount, description } = JSON.parse(call.body);
  const payment = provider.payments.get(id);
  const made = payment && provider.giveBack(payment, parseMinorUnits(amount.value), description);
  return made === undefined ? refused(400, 'invalid_request') : { status: 200, body: refundObject(made) };
}

function listRefunds({ query }: WireCall, provider: ScriptedPaymentProvider): WireResponse {
  const refunds = provider.refundsOf(provider.payments.get(query.get('payment_id') ?? ''));
  return { status: 200, body: { type: 'list', items: refunds.map(refundObject) } };
}

/** Only receipts that offset an advance: those of payments and refunds come with these. */
function receipts(call: WireCall, provider: ScriptedPaymentProvider, id: string | undefined): WireResponse {
  if (call.method === 'POST') return offset(JSON.parse(call.body), provider);
  const held = [...provider.receipts.values()];
  if (id === undefined) {
    const items = held.filter(({ payment }) => payment.reference === call.query.get('payment_id'));
    return { status: 200, body: { type: 'list', items: items.map(receiptObject) } };
  }
  const found = held.find(({ reference }) => reference === id);
  return found === undefined ? refused(404, 'not_found') : { status: 200, body: receiptObject(found) };
}

function offset(receipt: ReturnType<typeof JSON.parse>, provider: ScriptedPaymentProvider): WireResponse {
  const { items, settlements, customer } = receipt;
  const [item] = items;
  const payment = provider.payments.get(receipt.payment_id);
  const isOffset = item.payment_mode === 'full_payment' && settlements[0].type === 'prepayment';
  const isBalanced =
    items.length === 1 && settlements.length === 1 && item.amount.value === settlements[0].amount.value;
  if (payment === undefined || receipt.type !== 'payment' || receipt.send !== true || !isOffset || !isBalanced)
    return refused(400, 'invalid_request');
  const added = provider.addReceipt({
    payment,
    amountMinor: parseMinorUnits(item.amount.value),
    description: item.description,
    email: customer.email,
    vatCode: item.vat_code,
  });
  return added === undefined ? refused(400, 'invalid_request') : { status: 200, body: receiptObject(added) };
}

function receiptObject({ reference, payment, amountMinor, description, state, vatCode }: HeldReceipt): object {
  const amount = { value: formatMinorUnits(minorUnits(amountMinor)), currency: payment.currency };
  return {
    id: reference,
    type: 'payment',
    payment_id: payment.reference,
    status: state,
    items: [{ description, quantity: 1, amount, vat_code: vatCode, payment_mode: 'full_payment' }],
    settlements: [{ type: 'prepayment', amount }],
  };
}

const states = { pending: 'pending', paid: 'succeeded', declined: 'canceled', expired: 'canceled' } as const;

export function paymentObject(payment: HeldPayment): object {
  const { state, currency } = payment;
  const money = (minor: bigint) => ({ value: formatMinorUnits(minorUnits(minor)), currency });
  const reason = state === 'expired' ? 'expired_on_confirmation' : 'insufficient_funds';
  return {
    id: payment.reference,
    status: states[state],
    paid: state === 'paid',
    amount: money(payment.amountMinor),
    recipient: { account_id: payment.shop, gateway_id: '1' },
    created_at: payment.createdAt.toISOString(),
    ...(payment.paidAt && { captured_at: payment.paidAt.toISOString() }),
    ...(payment.card === undefined && {
      confirmation: { type: 'redirect', confirmation_url: `https://yoomoney.ru/checkout/${payment.reference}` },
    }),
    refunded_amount: money(payment.refundedMinor + disputedMinorOf(payment)),
    ...(payment.savesCard === true &&
      state === 'paid' && {
        payment_method: { type: 'bank_card', id: `card-${payment.reference}`, saved: true, title: 'Bank card *4444' },
      }),
    metadata: { payment_id: payment.paymentId },
    test: false,
    ...(states[state] === 'canceled' && { cancellation_details: { party: 'payment_network', reason } }),
  };
}

function refundObject({ reference, payment, amountMinor, label, state }: HeldRefund): object {
  return {
    id: reference,
    payment_id: payment.reference,
    description: label,
    status: state === 'refused' ? 'canceled' : state,
    amount: { value: formatMinorUnits(minorUnits(amountMinor)), currency: payment.currency },
    ...(state === 'refused' && { cancellation_details: { party: 'refund_network', reason: 'rejected_by_payee' } }),
  };
}

export function yookassaNotification(payment: HeldPayment, event = 'payment.succeeded'): { body: string } {
  const object = event.startsWith('refund.')
    ? { id: 'ref-0', payment_id: payment.reference, status: 'succeeded' }
    : paymentObject(payment);
  return { body: JSON.stringify({ type: 'notification', event, object }) };
}
