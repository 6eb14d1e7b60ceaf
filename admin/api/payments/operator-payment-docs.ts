/** The documentation of what operators do with payments. */
import { Type } from '@sinclair/typebox';
import { exampleOf } from '../../../shared/openapi/example-of.ts';
import { bankTransfer } from '../../../shared/payment-methods.ts';
import { paymentNotFound, wrongState } from '../../database/rows/payment.ts';
import { keyReused, stillRunning } from '../../http/idempotency/idempotency.ts';
import { parseMinorUnits } from '../../money/payment-money.ts';
import { otherPayer, referenceUsed } from '../../payments/decide-payment.ts';
import { refundTooLarge } from '../../payments/refunds/create-refund.ts';
import { describe } from '../docs/describe.ts';
import { uuid } from '../fields/example-values.ts';
import { closedObject, label, requiredIdempotencyHeaders } from '../fields/schemas.ts';
import { accountId, auditReason } from '../operator/operator-schemas.ts';
import {
  eventsMax,
  methodFilter,
  operatorPaymentListSchema,
  operatorPaymentSchema,
  paymentAmount,
  paymentEventsSchema,
  paymentParams,
  paymentsQuery,
} from './payment-schemas.ts';

const referenceMaxLength = 100;
const referenceExample = '4711';

export const operatorPaymentsQuery = Type.Object({
  accountId: Type.Optional(accountId('Lists only payments of this account. Without it, of all accounts.')),
  method: Type.Optional(methodFilter),
  ...paymentsQuery.properties,
});

export const confirmBody = closedObject({
  paidAt: Type.String({
    description: "When the bank booked the money, in ISO 8601. That day's rate applies.",
    expected: 'an ISO 8601 date or date and time',
    // A day that has passed, because others are refused.
    example: '2026-01-15',
  }),
  reference: label(
    referenceMaxLength,
    "The bank's number of the transfer. Each number confirms one payment.",
    referenceExample,
  ),
  reason: auditReason('Bank statement'),
});

export const cancelBody = closedObject({
  reason: auditReason('Ordered twice'),
});

export const refundBody = closedObject({
  amount: Type.Optional(
    paymentAmount("How much to return, in the payment's currency. By default, as much as possible.", '300.00'),
  ),
  reason: auditReason('Paid too much'),
});

const common = { tag: 'Operators', permission: 'operator' } as const;
const onPayment = { ...common, params: paymentParams, headers: requiredIdempotencyHeaders } as const;
const paid = {
  status: 'succeeded',
  method: bankTransfer,
  paidAt: '2030-01-02T00:00:00.000Z',
  confirmationUrl: null,
  transactionId: 31,
  reference: referenceExample,
} as const;
const payment = { schema: operatorPaymentSchema, example: exampleOf(operatorPaymentSchema, paid) };
const refund = exampleOf(operatorPaymentSchema.properties.refunds.items);
const errorsOfChange = [paymentNotFound(uuid), stillRunning(), keyReused()];

export const listOperatorPaymentsDocs = describe({
  ...common,
  id: 'listAllPayments',
  summary: 'Payments of all accounts',
  description: 'Payments in `review` wait for an operator.',
  query: operatorPaymentsQuery,
  response: {
    description: 'A page of payments.',
    schema: operatorPaymentListSchema,
    example: exampleOf(operatorPaymentListSchema, { payments: [payment.example] }),
  },
});

export const getOperatorPaymentDocs = describe({
  ...common,
  id: 'getAnyPayment',
  summary: 'A payment of any account',
  description: 'The payment with its refunds.',
  params: paymentParams,
  response: { description: 'The payment.', ...payment },
  errors: [paymentNotFound(uuid)],
});

export const listPaymentEventsDocs = describe({
  ...common,
  id: 'listPaymentEvents',
  summary: 'Events of a payment',
  description:
    'What the provider, an operator or a bank statement reported about the payment, as received and before it was ' +
    `acted on. At most the newest ${eventsMax}.`,
  params: paymentParams,
  response: { description: 'The events.', schema: paymentEventsSchema },
  errors: [paymentNotFound(uuid)],
});

export const confirmPaymentDocs = describe({
  ...onPayment,
  id: 'confirmPayment',
  summary: 'Confirm a payment',
  description: 'The money has arrived: the balance is topped up, at the rate of the day on which the bank booked it.',
  body: { schema: confirmBody },
  response: { description: 'The payment after the change.', ...payment },
  errors: [...errorsOfChange, wrongState('succeeded', 'is already booked'), referenceUsed(), otherPayer(12)],
});

export const cancelPaymentDocs = describe({
  ...onPayment,
  id: 'cancelPayment',
  summary: 'Cancel an order',
  description:
    'For an order that will not be paid. If the provider later reports it as paid, it is still booked: the ' +
    'customer has paid.',
  body: { schema: cancelBody },
  response: { description: 'The payment after the change.', ...payment },
  errors: [...errorsOfChange, wrongState('succeeded', 'is booked, so it can only be refunded')],
});

export const refundPaymentDocs = describe({
  ...onPayment,
  id: 'refundPayment',
  summary: 'Refund a payment',
  description:
    'Returns money the way it was paid: at most the unused part of the payment, and at most the balance. The money is ' +
    'set aside, the provider returns it, then it leaves the balance as a transaction of the type `payment` with a ' +
    'negative amount. `refunds` shows whether that has happened; a `pending` refund is continued automatically.',
  body: { schema: refundBody },
  response: {
    status: 201,
    description: 'The payment with its refunds.',
    schema: operatorPaymentSchema,
    example: exampleOf(operatorPaymentSchema, { ...paid, refunds: [refund] }),
  },
  errors: [
    ...errorsOfChange,
    wrongState('pending', 'cannot be refunded'),
    refundTooLarge(parseMinorUnits('250.00'), 'RUB'),
  ],
});
