/** The schemas of payments: what customers send and read, and what operators read besides. */
import { Type } from '@sinclair/typebox';
import { formatRubKopecks, formatRubPerUsd, formatUsd, nanoUsd, rubKopecks, rubRate } from '../../../shared/money.ts';
import type { Payment } from '../../database/rows/payment.ts';
import { kindOfRefund } from '../../database/rows/refund.ts';
import {
  paymentCurrencies,
  paymentEventKinds,
  paymentStatuses,
  refundStatuses,
} from '../../database/tables/payments.ts';
import {
  formatMinorUnits,
  formatPercent,
  type MinorUnits,
  minorUnits,
  parseMinorUnits,
  partsPerMillion,
} from '../../money/payment-money.ts';
import type { PaymentDetails, PaymentEvent } from '../../payments/list-payments.ts';
import { hasFailed, isInReview, type Refund } from '../../payments/refunds/find-refunds.ts';
import { checkedBy } from '../fields/checked-by.ts';
import { customer, uuid } from '../fields/example-values.ts';
import { usdText } from '../fields/money.ts';
import { rubRateSchema } from '../fields/rub-rate.ts';
import {
  closedObject,
  integer,
  label,
  nextCursor,
  nullable,
  oneOf,
  pageCursor,
  pageLimit,
  pageOffset,
  text,
  timestamp,
} from '../fields/schemas.ts';

export const paymentsMax = 50;
/** A provider may repeat a notification for days. */
export const eventsMax = 100;
const methodMaxLength = 40;
const urlMaxLength = 2_000;

/** In the examples. */
const order = { method: 'yookassa', amount: '1000.00' };
const bookedByOperator =
  '{"paidAt":"2030-01-02T00:00:00.000Z","reference":"4711","reason":"Bank statement","by":"operator@example.com"}';

/** An amount of a payment, as a decimal string so that nothing is lost on the way. */
export const paymentAmount = (description: string, example?: string) =>
  checkedBy<string>(
    {
      type: 'string',
      description: `${description} A decimal string with at most 2 decimals.`,
      expected: 'an amount above 0 as a string with at most 2 decimals, such as "1000.00"',
      example,
    },
    (value) => typeof value === 'string' && readAmount(value) > 0n,
  );

/** 0 for anything that is not an amount. */
function readAmount(value: string): MinorUnits {
  try {
    return parseMinorUnits(value);
  } catch {
    return minorUnits(0n);
  }
}

export const paymentBody = closedObject({
  method: label(
    methodMaxLength,
    'How to pay: the `id` of a method that `GET /api/payments/methods` lists.',
    order.method,
  ),
  amount: paymentAmount('How much to pay, in `currency`.', order.amount),
  currency: oneOf(paymentCurrencies, 'The currency of the payment. Each method accepts certain currencies.'),
  saveCard: Type.Optional(
    Type.Boolean({
      description:
        'Whether the provider keeps the card for automatic top-ups, which PUT /api/payments/auto-top-up has switched on.',
      default: false,
      expected: 'true or false',
    }),
  ),
  returnUrl: Type.Optional(
    label(
      urlMaxLength,
      "Where the provider's page leads afterwards: a path of the dashboard such as `/billing`, or an address that begins " +
        'with its own. The id of the payment is added to it as `payment`.',
      '/billing',
    ),
  ),
});

export const paymentParams = Type.Object({
  paymentId: Type.String({
    pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    description: 'The `id` of the payment.',
    expected: 'the id of a payment',
  }),
});

export const methodFilter = label(methodMaxLength, 'Lists only payments by this method. Without it, by all methods.');
const statusFilter = Type.Optional(oneOf(paymentStatuses, 'Lists only payments in this state. Without it, all.'));
const pageFields = {
  limit: pageLimit(paymentsMax, 'How many payments to return at most.'),
  cursor: pageCursor,
  offset: pageOffset('How many of the newest matching payments to skip.'),
};
export const paymentsQuery = Type.Object({ status: statusFilter, ...pageFields });

const amount = (description: string, example: string) =>
  text(`${description} A decimal string with two decimals, in \`currency\`.`, example);

const refundFields = {
  id: text('The id of the refund.', uuid),
  status: oneOf(
    [...refundStatuses, 'review', 'failed'],
    'Whether the money was returned: `pending` until the provider has returned it, `refused` if it did not. `review`: the ' +
      'provider does not report whether it has returned the money, so an operator has to find out. `failed`: the bank sent ' +
      'it back afterwards.',
  ),
  amount: amount('The amount returned, or restored.', '300.00'),
  kind: oneOf(
    ['refund', 'reversal', 'restoration', 'failed_refund', 'collection', 'dispute'],
    '`refund`: we returned it. `reversal`: the bank or the provider took it back. `restoration`: a dispute was won, so ' +
      'the amount came back to the balance. `failed_refund`: so it did because the payer never got it. `collection`: what the balance lacked for a reversal was taken later; its ' +
      '`amount` is 0.00. `dispute`: the payment was disputed after it had gone back, so nothing was taken.',
  ),
  isReversal: Type.Boolean({
    description: 'Whether the bank or the provider took the money back by itself, as in a chargeback.',
  }),
  createdAt: timestamp('When the refund was ordered or noticed.'),
};

const paymentFields = {
  id: text('The id of the payment, a UUID.', uuid),
  status: oneOf(
    paymentStatuses,
    '`pending` until it is paid. `succeeded`: the balance is topped up. `canceled`: it failed, or an operator canceled ' +
      'it. `expired`: it was not paid in time. `review`: the payment does not match its order, and an operator decides. `refunded`: it ' +
      'was returned in full.',
  ),
  method: text('The id of the payment method.', order.method),
  isAutomatic: Type.Boolean({ description: 'Whether it was an automatic top-up, by a saved card.' }),
  amount: amount('The amount to pay.', order.amount),
  currency: oneOf(paymentCurrencies, 'The currency of `amount`, `refundedAmount` and the amounts of refunds.'),
  creditUsd: usdText('The amount added to the balance. Until it is paid, at the current rate.', '12.310040684'),
  rate: text(
    'Roubles per dollar: the rate of the day on which the money arrived, or the current rate until then. A decimal string.',
    '81.2345',
  ),
  rateDate: nullable(
    text('The date that the Bank of Russia set the rate for; null if it is a configured rate.', '2030-01-01'),
  ),
  marginPercent: text('Markup on `rate` for payments in roubles, in percent.', '0'),
  valueRub: text('The value of the payment in roubles, as in accounting documents. A decimal string.', '1000'),
  refundedAmount: amount(
    'How much of it was returned, less what came back by won disputes and failed refunds.',
    '0.00',
  ),
  createdAt: timestamp('When it was ordered.'),
  expiresAt: timestamp('Until when it can be paid.', '2030-01-01T13:00:00.000Z'),
  paidAt: nullable(timestamp('When the provider or the bank received the money; null if it is not paid.')),
  confirmationUrl: nullable(
    text(
      "The provider's payment page; null if there is none, or the provider has not responded yet.",
      'https://yoomoney.ru/checkout/payments/v2/contract?orderId=2e8f',
    ),
  ),
  transactionId: nullable(integer('The id of its transaction; null until the balance is topped up.')),
  documentId: nullable(text('The id of its invoice among the documents; null if there is none.')),
};

export const paymentSchema = Type.Object(
  {
    ...paymentFields,
    refunds: Type.Array(Type.Object(refundFields), {
      description: 'Refunds and restorations, oldest first.',
      example: [],
    }),
  },
  { title: 'Payment' },
);
export const paymentListSchema = Type.Object(
  {
    payments: Type.Array(paymentSchema, { description: 'The matching payments of this page, newest first.' }),
    nextCursor,
    total: integer('How many payments match, on all pages.', 1),
  },
  { title: 'PaymentList' },
);

export const operatorPaymentSchema = Type.Object(
  {
    ...paymentFields,
    accountId: integer('The id of the account.', customer.accountId),
    email: text('The e-mail address that the order was made with.', customer.email),
    reference: nullable(text("The provider's id of the payment, or the bank's; null if it is not known.")),
    problem: nullable(text('Why it is in review, or was canceled; null if there is no reason.')),
    owedUsd: usdText('The part of reversals that the balance did not cover, and that was not collected since.', '0'),
    disputedAt: nullable(timestamp('When it was disputed with the bank; null if it was not.')),
    disputeWonAt: nullable(timestamp('When the dispute was won, and cards work again; null if it was not.')),
    refunds: Type.Array(
      Type.Object({
        ...refundFields,
        takenUsd: usdText(
          'The amount taken from the balance; for a restoration or a failed refund, the amount added to it.',
          '3.693012205',
        ),
        reason: text('Why it was ordered.', 'Paid too much'),
        problem: nullable(text('Why it was refused; null if it was not.')),
      }),
      { description: 'Refunds and restorations, oldest first.', example: [] },
    ),
  },
  { title: 'OperatorPayment' },
);
export const operatorPaymentListSchema = Type.Object(
  {
    payments: Type.Array(operatorPaymentSchema, { description: 'The matching payments of this page, newest first.' }),
    nextCursor,
    total: integer('How many payments match, on all pages.', 1),
  },
  { title: 'OperatorPaymentList' },
);

export const paymentEventsSchema = Type.Object(
  {
    events: Type.Array(
      Type.Object({
        id: integer('The id of the event.', 7),
        kind: oneOf(
          paymentEventKinds,
          'A `notification` of the provider, its `answer` to our query, or the `confirmation` of an operator or a bank ' +
            'statement.',
          'confirmation',
        ),
        body: text('The content, as received.', bookedByOperator),
        receivedAt: timestamp('When it was received.', '2030-01-02T09:30:00.000Z'),
      }),
      { description: `The newest ${eventsMax} events, newest first.` },
    ),
  },
  { title: 'PaymentEvents' },
);

export const methodsSchema = Type.Object(
  {
    methods: Type.Array(
      Type.Object({
        id: text('A value for `method` of an order.', order.method),
        currencies: Type.Array(oneOf(paymentCurrencies, 'A currency.'), {
          description: 'The supported currencies.',
          example: ['RUB'],
        }),
        minAmount: Type.Object(
          { RUB: Type.Optional(amountIn('RUB')), USD: Type.Optional(amountIn('USD')) },
          { description: 'The smallest payment, by currency, at the current rate.', example: { RUB: '90.00' } },
        ),
        maxAmount: Type.Object(
          { RUB: Type.Optional(amountIn('RUB')), USD: Type.Optional(amountIn('USD')) },
          { description: 'The largest payment, by currency, at the current rate.', example: { RUB: '900000.00' } },
        ),
      }),
      { description: 'The configured methods.' },
    ),
    rubRate: rubRateSchema('The current rate. A payment gets the rate of the day on which the money arrives.'),
    marginPercent: text('Markup on that rate for payments in roubles, in percent.', '0'),
  },
  { title: 'PaymentMethods' },
);

function amountIn(currency: string) {
  return Type.String({ description: `A decimal string with two decimals, in ${currency}.` });
}

export function renderPayment(payment: Payment, { refunds, documentId }: PaymentDetails): typeof paymentSchema.static {
  return { ...renderFields(payment), documentId, refunds: refunds.map((refund) => renderRefund(refund, refunds)) };
}

export function renderOperatorPayment(
  payment: Payment,
  { refunds, documentId }: PaymentDetails,
): typeof operatorPaymentSchema.static {
  return {
    ...renderFields(payment),
    documentId,
    accountId: payment.accountId,
    email: payment.email,
    reference: payment.providerReference,
    problem: payment.problem,
    owedUsd: formatUsd(nanoUsd(payment.owedNano)),
    disputedAt: payment.disputedAt?.toISOString() ?? null,
    disputeWonAt: payment.disputeWonAt?.toISOString() ?? null,
    refunds: refunds.map((refund) => ({
      ...renderRefund(refund, refunds),
      takenUsd: formatUsd(nanoUsd(refund.amountNano)),
      reason: refund.reason,
      problem: refund.problem,
    })),
  };
}

export function renderEvents(events: readonly PaymentEvent[]): typeof paymentEventsSchema.static {
  return { events: events.map(({ receivedAt, ...event }) => ({ ...event, receivedAt: receivedAt.toISOString() })) };
}

function renderFields(payment: Payment) {
  return {
    id: payment.id,
    status: payment.status,
    method: payment.method,
    isAutomatic: payment.cardId !== null,
    amount: formatMinorUnits(minorUnits(payment.amountMinor)),
    currency: payment.currency,
    creditUsd: formatUsd(nanoUsd(payment.creditNano)),
    rate: formatRubPerUsd(rubRate(payment.rubPerUsd)),
    rateDate: payment.rateDate,
    marginPercent: formatPercent(partsPerMillion(payment.marginPpm)),
    valueRub: formatRubKopecks(rubKopecks(payment.rubKopecks)),
    refundedAmount: formatMinorUnits(minorUnits(payment.refundedMinor)),
    createdAt: payment.createdAt.toISOString(),
    expiresAt: payment.expiresAt.toISOString(),
    paidAt: payment.paidAt?.toISOString() ?? null,
    confirmationUrl: payment.status === 'pending' ? payment.confirmationUrl : null,
    transactionId: payment.transactionId,
  };
}

/** One of these. */
function renderRefund(refund: Refund, refunds: readonly Refund[]) {
  const { id, amountMinor, kind, createdAt } = refund;
  return {
    id,
    status: statusOf(refund, refunds),
    amount: formatMinorUnits(minorUnits(amountMinor)),
    kind: kindOfRefund(refund),
    isReversal: kind === 'reversed',
    createdAt: createdAt.toISOString(),
  };
}

function statusOf(refund: Refund, refunds: readonly Refund[]): Refund['status'] | 'review' | 'failed' {
  if (isInReview(refund)) return 'review';
  return hasFailed(refund, refunds) ? 'failed' : refund.status;
}
