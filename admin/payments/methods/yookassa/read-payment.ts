/** Reads a payment of YooKassa (https://yookassa.ru/developers/api#payment_object): what it says of itself, or an error. */
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type MinorUnits, minorUnits, parseMinorUnits } from '../../../money/payment-money.ts';
import { type ProviderCard, ProviderError, type ProviderPayment } from '../payment-method.ts';

const money = Type.Object({ value: Type.String(), currency: Type.String() });

const paymentSchema = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 100 }),
  status: Type.String(),
  amount: money,
  recipient: Type.Optional(Type.Object({ account_id: Type.String() })),
  created_at: Type.String(),
  captured_at: Type.Optional(Type.String()),
  confirmation: Type.Optional(Type.Object({ confirmation_url: Type.Optional(Type.String()) })),
  refunded_amount: Type.Optional(money),
  cancellation_details: Type.Optional(Type.Object({ reason: Type.Optional(Type.String()) })),
  payment_method: Type.Optional(
    Type.Object({ id: Type.String(), saved: Type.Optional(Type.Boolean()), title: Type.Optional(Type.String()) }),
  ),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type YookassaPayment = Static<typeof paymentSchema>;

/** No attempt to pay was made, or it was given up. */
const notTried = new Set(['expired_on_confirmation', 'expired_on_capture', 'canceled_by_merchant']);

/** Throws ProviderError `unavailable` for anything that is not a payment. */
export function checkPayment(body: unknown): YookassaPayment {
  if (Value.Check(paymentSchema, body)) return body;
  throw new ProviderError('unavailable', 'YooKassa returned something other than a payment');
}

export function readPayment(
  payment: YookassaPayment,
  { shopId, raw }: { shopId: string; raw: string },
): ProviderPayment {
  const { recipient, metadata, refunded_amount: refunded, captured_at: capturedAt } = payment;
  const paymentId = metadata?.payment_id;
  return {
    reference: payment.id,
    paymentId: typeof paymentId === 'string' ? paymentId : null,
    // A payment that names no recipient belongs to the shop whose key has read it.
    isOurs: recipient === undefined || recipient.account_id === shopId,
    state: stateOf(payment),
    amountMinor: amountOf(payment.amount.value),
    currency: payment.amount.currency,
    paidAt: payment.status === 'succeeded' ? instantOf(capturedAt ?? payment.created_at) : null,
    refundedMinor: refunded === undefined ? minorUnits(0n) : amountOf(refunded.value),
    // A refund that has succeeded is final.
    failedRefunds: [],
    // YooKassa handles disputes with the shop; money that it takes back is a refund.
    disputes: [],
    card: cardOf(payment),
    raw,
  };
}

function cardOf({ status, payment_method: method }: YookassaPayment): ProviderCard | null {
  if (status !== 'succeeded' || method?.saved !== true) return null;
  return { reference: method.id, customer: null, title: method.title ?? 'YooKassa' };
}

function stateOf({ status, cancellation_details: details }: YookassaPayment): ProviderPayment['state'] {
  if (status === 'succeeded') return 'paid';
  if (status === 'canceled') return notTried.has(details?.reason ?? '') ? 'expired' : 'declined';
  return 'pending';
}

export function amountOf(value: string): MinorUnits {
  try {
    return parseMinorUnits(value);
  } catch (cause) {
    throw new ProviderError('unavailable', 'YooKassa returned an amount that is not a decimal', { cause });
  }
}

function instantOf(text: string): Date {
  const instant = new Date(text);
  if (Number.isNaN(instant.getTime())) throw new ProviderError('unavailable', 'YooKassa returned an invalid timestamp');
  return instant;
}
