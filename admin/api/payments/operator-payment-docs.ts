/** The documentation of what operators do with payments. */
import { Type } from '@sinclair/typebox';
import { operatorsOnly } from '../../auth/require-operator.ts';
import { paymentNotFound, wrongState } from '../../database/rows/payment.ts';
import { keyReused, stillRunning } from '../../http/idempotency/idempotency.ts';
import { parseMinorUnits } from '../../money/payment-money.ts';
import { referenceUsed } from '../../payments/decide-payment.ts';
import { refundTooLarge } from '../../payments/refunds/create-refund.ts';
import { describe } from '../docs/describe.ts';
import { closedObject, label, requiredIdempotencyHeaders } from '../fields/schemas.ts';
import { accountId, reason } from '../operator/operator-schemas.ts';
import { operatorPaymentExample } from './payment-examples.ts';
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

export const operatorPaymentsQuery = Type.Object({
  accountId: Type.Optional(accountId('Lists only payments of this account. Without it, of all accounts.')),
  method: Type.Optional(methodFilter),
  ...paymentsQuery.properties,
});

export const confirmBody = closedObject({
  paidAt: Type.String({
    description: "When the bank booked the money, in ISO 8601. That day's rate applies.",
    expected: 'an ISO 8601 date or date and time',
  }),
  reference: label(referenceMaxLength, "The bank's number of the transfer. Each number confirms one payment."),
  reason: reason('Why, for the audit log. The customer does not see it.'),
});

export const cancelBody = closedObject({
  reason: reason('Why, for the audit log. The customer does not see it.'),
});

export const refundBody = closedObject({
  amount: Type.Optional(
    paymentAmount("How much to return, in the payment's currency. By default, as much as possible."),
  ),
  reason: reason('Why, for the audit log. The customer does not see it.'),
});

const common = { tag: 'Operators', security: 'accessToken' } as const;
const onPayment = { ...common, params: paymentParams, headers: requiredIdempotencyHeaders } as const;
const payment = { schema: operatorPaymentSchema, example: operatorPaymentExample };
const errorsOfChange = [operatorsOnly(), paymentNotFound(operatorPaymentExample.id), stillRunning(), keyReused()];

export const listOperatorPaymentsDocs = describe({
  ...common,
  id: 'listAllPayments',
  summary: 'Payments of all accounts',
  description: 'Payments in `review` wait for an operator.',
  query: operatorPaymentsQuery,
  response: {
    status: 200,
    description: 'A page of payments.',
    schema: operatorPaymentListSchema,
    example: { payments: [operatorPaymentExample], total: 1 },
  },
  errors: [operatorsOnly()],
});

export const getOperatorPaymentDocs = describe({
  ...common,
  id: 'getAnyPayment',
  summary: 'A payment of any account',
  description: 'The payment with its refunds.',
  params: paymentParams,
  response: { status: 200, description: 'The payment.', ...payment },
  errors: [operatorsOnly(), paymentNotFound(operatorPaymentExample.id)],
});

export const listPaymentEventsDocs = describe({
  ...common,
  id: 'listPaymentEvents',
  summary: 'Events of a payment',
  description:
    'What the provider, an operator or a bank statement reported about the payment, as received and before it was ' +
    `acted on. At most the newest ${eventsMax}.`,
  params: paymentParams,
  response: {
    status: 200,
    description: 'The events.',
    schema: paymentEventsSchema,
    example: {
      events: [
        {
          id: 7,
          kind: 'confirmation',
          body: '{"paidAt":"2030-01-02T00:00:00.000Z","reference":"4711","reason":"Bank statement","by":"ada@example.com"}',
          receivedAt: '2030-01-02T09:30:00.000Z',
        },
      ],
    } satisfies typeof paymentEventsSchema.static,
  },
  errors: [operatorsOnly(), paymentNotFound(operatorPaymentExample.id)],
});

export const confirmPaymentDocs = describe({
  ...onPayment,
  id: 'confirmPayment',
  summary: 'Confirm a payment',
  description: 'The money has arrived: the balance is topped up, at the rate of the day on which the bank booked it.',
  body: { schema: confirmBody, example: { paidAt: '2026-01-15', reference: '4711', reason: 'Bank statement' } },
  response: { status: 200, description: 'The payment after the change.', ...payment },
  errors: [...errorsOfChange, wrongState('succeeded', 'is already booked'), referenceUsed()],
});

export const cancelPaymentDocs = describe({
  ...onPayment,
  id: 'cancelPayment',
  summary: 'Cancel an order',
  description:
    'For an order that will not be paid. If the provider later reports it as paid, it is still booked: the ' +
    'customer has paid.',
  body: { schema: cancelBody, example: { reason: 'Ordered twice' } },
  response: { status: 200, description: 'The payment after the change.', ...payment },
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
  body: { schema: refundBody, example: { amount: '300.00', reason: 'Paid too much' } },
  response: { status: 201, description: 'The payment with its refunds.', ...payment },
  errors: [
    ...errorsOfChange,
    wrongState('pending', 'cannot be refunded'),
    refundTooLarge(parseMinorUnits('250.00'), 'RUB'),
  ],
});
