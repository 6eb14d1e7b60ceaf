/** The documentation of payments, for customers and for providers. */
import { Type } from '@sinclair/typebox';
import { notificationsAddressMax, notificationsRefusal } from '../../auth/throttle/request-throttle.ts';
import { tooManyAttempts } from '../../auth/throttle/throttle.ts';
import { addressUnverified } from '../../database/rows/account-state.ts';
import { paymentNotFound } from '../../database/rows/payment.ts';
import { detailsMissing } from '../../documents/issue/buyer.ts';
import { keyReused, stillRunning } from '../../http/idempotency/idempotency.ts';
import { walletFull } from '../../ledger/post-credit.ts';
import { autoTopUpOff } from '../../payments/auto-top-up/saved-card.ts';
import { cardsStopped, pendingMax, tooManyPending } from '../../payments/creation/create-payment.ts';
import { providerUnavailable } from '../../payments/creation/open-payment.ts';
import { noSuchMethod, notOurs } from '../../payments/take-notification.ts';
import { describe } from '../docs/describe.ts';
import { uuid } from '../fields/example-values.ts';
import { text } from '../fields/schemas.ts';
import {
  methodsSchema,
  paymentBody,
  paymentListSchema,
  paymentParams,
  paymentSchema,
  paymentsQuery,
} from './payment-schemas.ts';

const tag = 'Payments';
const headers = Type.Object({
  'Idempotency-Key': Type.String({
    maxLength: 255,
    description:
      'A value of your own that identifies the request: 1 to 255 printable ASCII characters without spaces, such as a ' +
      'UUID. For 24 hours, repeating the request with the same key and body creates no second order; the response shows the ' +
      'payment in its current state.',
  }),
});

export const createPaymentDocs = describe({
  tag,
  id: 'orderPayment',
  permission: 'payments:manage',
  summary: 'Order a top-up',
  description:
    'Creates the order and, for methods with a provider, the page to pay it on. The balance is topped up once the ' +
    'provider confirms that the money has arrived, usually within seconds; the return of the browser proves nothing. ' +
    `At most ${pendingMax} orders of an account can be unpaid at a time. If the provider cannot be reached, repeat the ` +
    'request with the same key.',
  headers,
  body: { schema: paymentBody },
  response: { status: 201, description: 'The order.', schema: paymentSchema },
  errors: [
    addressUnverified(),
    cardsStopped(),
    tooManyPending(),
    detailsMissing(['inn', 'legalAddress']),
    autoTopUpOff(),
    walletFull(),
    providerUnavailable(),
    stillRunning(),
    keyReused(),
  ],
});

export const listPaymentsDocs = describe({
  tag,
  id: 'listPayments',
  permission: 'payments:read',
  summary: 'Payments',
  description: 'All orders of the account, in any state.',
  query: paymentsQuery,
  response: { description: 'A page of payments.', schema: paymentListSchema },
});

export const getPaymentDocs = describe({
  tag,
  id: 'getPayment',
  permission: 'payments:read',
  summary: 'A payment',
  description: "The current state of an order, for a page that waits for the provider's response.",
  params: paymentParams,
  response: { description: 'The payment.', schema: paymentSchema },
  errors: [paymentNotFound(uuid)],
});

export const listMethodsDocs = describe({
  tag,
  id: 'listPaymentMethods',
  permission: 'payments:read',
  summary: 'Payment methods',
  description: 'The available methods, and their limits.',
  response: { description: 'The methods.', schema: methodsSchema },
});

export const webhookResponseSchema = Type.Object(
  {
    result: text('`taken`, or `unknown` if it concerns no payment of this gateway.', 'taken'),
  },
  { title: 'WebhookResponse' },
);

/** Of a method whose provider sends them. */
export const notificationDocs = ({ id, title }: { readonly id: string; readonly title: string }) =>
  describe({
    tag,
    permission: 'public',
    id: `take${title}Notification`,
    summary: `A notification of ${title}`,
    description:
      'Where the provider sends its notifications, in its own form. What one is about is stored once, and the provider is ' +
      'asked about the payment; the content of the notification is not trusted. Notifications of Stripe need a valid `Stripe-Signature`. ' +
      `At most ${notificationsAddressMax} an hour are accepted from one address.`,
    response: { description: 'The notification was read.', schema: webhookResponseSchema },
    errors: [notOurs(), noSuchMethod(id), providerUnavailable(), tooManyAttempts(notificationsRefusal, 3_600_000)],
  });
