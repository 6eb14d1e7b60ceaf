/** The schemas of payments: what customers send and read, and what operators read besides. */
import { Type } from '@sinclair/typebox';
import { formatRubKopecks, formatRubPerUsd, formatUsd, nanoUsd, rubKopecks, rubRate } from '../../../shared/money.ts';
import type { Payment } from '../../database/rows/payment.ts';
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
import { isInReview, type Refund } from '../../payments/refunds/find-refunds.ts';
import { checkedBy } from '../fields/checked-by.ts';
import { usdText } from '../fields/money.ts';
import { rubRateSchema } from '../fields/rub-rate.ts';
import { closedObject, integer, label, nullable, oneOf, pageLimit, text, timestamp } from '../fields/schemas.ts';

export const paymentsMax = 50;
/** A provider may repeat a notification for days. */
export const eventsMax = 100;
const offsetMax = 1_000_000;
const methodMaxLength = 40;
const urlMaxLength = 2_000;

/** An amount of a payment, as a decimal string so that nothing is lost on the way. */
export const paymentAmount = (description: string) =>
  checkedBy<string>(
    {
      type: 'string',
      description: `${description} A decimal string with at most 2 decimals.`,
      expected: 'an amount above 0 as a text with at most 2 decimals, such as "1000.00"',
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
  method: label(methodMaxLength, 'How to pay: the `id` of a method that `GET /api/payments/methods` lists.'),
  amount: paymentAmount('How much to pay, in `currency`.'),
  currency: oneOf(paymentCurrencies, 'What is paid in. Each method takes certain currencies.'),
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

export const methodFilter = label(methodMaxLength, 'Lists only payments by this method. Without it, by all.');
const statusFilter = Type.Optional(oneOf(paymentStatuses, 'Lists only payments in this state. Without it, all.'));
const pageFields = {
  limit: pageLimit(paymentsMax, 'How many payments to return at most.'),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: offsetMax,
      default: 0,
      description: 'How many of the newest matching payments to skip.',
      expected: `a whole number from 0 to ${offsetMax}`,
    }),
  ),
};
export const paymentsQuery = Type.Object({ status: statusFilter, ...pageFields });

const amount = (description: string) =>
  Type.String({ description: `${description} A decimal string with two decimals, in \`currency\`.` });

const refundFields = {
  id: text('The id of the refund.'),
  status: oneOf(
    [...refundStatuses, 'review'],
    'Whether the money went back: `pending` until the provider has returned it, `refused` if it did not. `review`: the ' +
      'provider does not say whether it has returned the money, so an operator finds out.',
  ),
  amount: amount('What goes back, or came back.'),
  kind: oneOf(
    ['refund', 'reversal', 'restoration'],
    '`refund`: we returned it. `reversal`: the bank or the provider took it back. `restoration`: a dispute was won, so ' +
      'the amount came back to the balance.',
  ),
  isReversal: Type.Boolean({
    description: 'Whether the bank or the provider took the money back by itself, as in a chargeback.',
  }),
  createdAt: timestamp('When the refund was ordered or noticed.'),
};

const paymentFields = {
  id: text('The id of the payment, a UUID.'),
  status: oneOf(
    paymentStatuses,
    '`pending` until it is paid. `succeeded`: the balance is topped up. `canceled`: it failed, or an operator canceled ' +
      'it. `expired`: nobody paid in time. `review`: something does not fit, and an operator decides. `refunded`: all of ' +
      'it went back.',
  ),
  method: text('The id of the payment method.'),
  isAutomatic: Type.Boolean({ description: 'Whether it was an automatic top-up, by a saved card.' }),
  amount: amount('What is paid.'),
  currency: oneOf(paymentCurrencies, 'What `amount`, `refundedAmount` and the amounts of refunds are in.'),
  creditUsd: usdText('What the balance gets. Until it is paid, at the present rate.'),
  rate: text('Roubles per dollar: of the day the money came, or the present rate until then. A decimal string.'),
  rateDate: nullable(text('The date that the Bank of Russia set the rate for; null if it is a configured rate.')),
  marginPercent: text('Markup on `rate` for payments in roubles, in percent.'),
  valueRub: text('What the payment is worth in roubles, as accounting documents say. A decimal string.'),
  refundedAmount: amount('How much of it went back, less what won disputes brought back.'),
  createdAt: timestamp('When it was ordered.'),
  expiresAt: timestamp('Until when it can be paid.'),
  paidAt: nullable(timestamp('When the provider or the bank received the money; null if it is not paid.')),
  confirmationUrl: nullable(
    text("The provider's page where it is paid; null if there is none, or the provider has not answered yet."),
  ),
  transactionId: nullable(integer('The id of its transaction; null until the balance is topped up.')),
  documentId: nullable(text('The id of its invoice among the documents; null if there is none.')),
};

export const paymentSchema = Type.Object(
  {
    ...paymentFields,
    refunds: Type.Array(Type.Object(refundFields), { description: 'What went back, in order.' }),
  },
  { title: 'Payment' },
);
export const paymentListSchema = Type.Object(
  {
    payments: Type.Array(paymentSchema, { description: 'The matching payments of this page, newest first.' }),
    total: integer('How many payments match, on all pages.'),
  },
  { title: 'PaymentList' },
);

export const operatorPaymentSchema = Type.Object(
  {
    ...paymentFields,
    accountId: integer('The id of the account.'),
    email: text('The e-mail address that the order was made with.'),
    reference: nullable(text("The provider's id of the payment, or the bank's; null if it is not known.")),
    problem: nullable(text('Why it is in review, or was canceled; null if there is no reason.')),
    owedUsd: usdText('What a chargeback took back that the wallet did not have.'),
    disputedAt: nullable(timestamp('When it was disputed with the bank; null if it was not.')),
    disputeWonAt: nullable(timestamp('When the dispute was won, and cards work again; null if it was not.')),
    refunds: Type.Array(
      Type.Object({
        ...refundFields,
        takenUsd: usdText('What it took, or takes, from the balance; of a restoration, what the balance got.'),
        reason: text('Why it was ordered.'),
        problem: nullable(text('Why it was refused; null if it was not.')),
      }),
      { description: 'What went back, in order.' },
    ),
  },
  { title: 'OperatorPayment' },
);
export const operatorPaymentListSchema = Type.Object(
  {
    payments: Type.Array(operatorPaymentSchema, { description: 'The matching payments of this page, newest first.' }),
    total: integer('How many payments match, on all pages.'),
  },
  { title: 'OperatorPaymentList' },
);

export const paymentEventsSchema = Type.Object(
  {
    events: Type.Array(
      Type.Object({
        id: integer('The id of the event.'),
        kind: oneOf(
          paymentEventKinds,
          'A `notification` of the provider, its `answer` to our question, or the `confirmation` of an operator or a bank ' +
            'statement.',
        ),
        body: text('What was said, as it was received.'),
        receivedAt: timestamp('When it was received.'),
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
        id: text('What `method` of an order takes.'),
        currencies: Type.Array(oneOf(paymentCurrencies, 'A currency.'), { description: 'What can be paid in.' }),
        minAmount: Type.Object(
          { RUB: Type.Optional(amountIn('RUB')), USD: Type.Optional(amountIn('USD')) },
          { description: 'The smallest payment, by currency, at the present rate.' },
        ),
        maxAmount: Type.Object(
          { RUB: Type.Optional(amountIn('RUB')), USD: Type.Optional(amountIn('USD')) },
          { description: 'The largest payment, by currency, at the present rate.' },
        ),
      }),
      { description: 'The methods that are configured.' },
    ),
    rubRate: rubRateSchema('The present rate. A payment gets that of the day on which the money comes.'),
    marginPercent: text('Markup on that rate for payments in roubles, in percent.'),
  },
  { title: 'PaymentMethods' },
);

function amountIn(currency: string) {
  return Type.String({ description: `A decimal string with two decimals, in ${currency}.` });
}

export function renderPayment(payment: Payment, { refunds, documentId }: PaymentDetails): typeof paymentSchema.static {
  return { ...renderFields(payment), documentId, refunds: refunds.map((refund) => renderRefund(refund)) };
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
      ...renderRefund(refund),
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

const refundKinds = { ordered: 'refund', reversed: 'reversal', restored: 'restoration' } as const;

function renderRefund(refund: Refund) {
  const { id, status, amountMinor, kind, createdAt } = refund;
  return {
    id,
    status: isInReview(refund) ? ('review' as const) : status,
    amount: formatMinorUnits(minorUnits(amountMinor)),
    kind: refundKinds[kind],
    isReversal: kind === 'reversed',
    createdAt: createdAt.toISOString(),
  };
}
