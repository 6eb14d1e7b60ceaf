/** What webhooks report of payments: once, however often the provider notifies, and with exact amounts. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { stripeNotification } from '../../../harness/payments/stripe-wire.ts';
import { yookassaNotification } from '../../../harness/payments/yookassa-wire.ts';
import { type PaymentBench, rub, startPayments, usd } from './start-payments.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments({ WEBHOOK_ALLOW_PRIVATE: 'true' });
});
afterAll(() => bench.stop());

async function reportedTo(token: string, endpointId: string) {
  const path = `/api/webhooks/${endpointId}/deliveries`;
  const { body } = await bench.api.call<{ deliveries: { type: string; data: object }[] }>('GET', path, { token });
  return body.deliveries.map(({ type, data }) => [type, data]).toReversed();
}

test('a payment and its refunds are each reported once', async () => {
  const { token } = await bench.newCustomer();
  const events = ['payment.succeeded', 'payment.refunded', 'document.issued'];
  const body = { url: 'http://127.0.0.1:9/', events };
  const endpoint = await bench.api.call<{ id: string }>('POST', '/api/webhooks', { token, body });
  const { body: payment } = await bench.createPayment(token, rub('1000'));
  const held = bench.yookassa.of(payment.id);
  bench.yookassa.pay(held);
  for (let times = 0; times < 3; times += 1) {
    await bench.api.call('POST', '/api/webhooks/yookassa', yookassaNotification(held));
    await bench.work();
  }
  await bench.decide(payment.id, 'refund', { amount: '300.00', reason: 'Paid too much' });
  await bench.work();
  expect(await reportedTo(token, endpoint.body.id)).toEqual([
    [
      'payment.succeeded',
      {
        ...{ paymentId: payment.id, amount: '1000.00', currency: 'RUB' },
        ...{ creditUsd: '11.111111111', balanceUsd: '11.111111111' },
      },
    ],
    [
      'payment.refunded',
      {
        ...{ paymentId: payment.id, refundId: expect.any(String), isReversed: false },
        ...{ amount: '300.00', currency: 'RUB', balanceUsd: '7.777777778' },
      },
    ],
  ]);
});

test('a won dispute and a refund that failed are each reported once', async () => {
  const { token } = await bench.newCustomer();
  const body = { url: 'http://127.0.0.1:9/', events: ['payment.restored'] };
  const endpoint = await bench.api.call<{ id: string }>('POST', '/api/webhooks', { token, body });
  const { body: payment } = await bench.createPayment(token, usd('10'));
  const held = bench.stripe.of(payment.id);
  const announce = async (type?: string) => {
    await bench.api.call('POST', '/api/webhooks/stripe', stripeNotification(held, type === undefined ? {} : { type }));
    await bench.work();
  };
  bench.stripe.pay(held);
  await announce();
  bench.stripe.dispute(held, 1_000n);
  await announce('charge.dispute.created');
  bench.stripe.winDispute(held);
  for (let times = 0; times < 2; times += 1) await announce('charge.dispute.closed');
  await bench.decide(payment.id, 'refund', { amount: '4', reason: 'Asked for it' });
  const [refund] = bench.stripe.refundsOf(held);
  if (refund === undefined) throw new Error('the provider has no refund');
  bench.stripe.failRefund(refund);
  for (let times = 0; times < 2; times += 1) await announce('refund.failed');
  const restored = { paymentId: payment.id, restorationId: expect.any(String), currency: 'USD', balanceUsd: '10' };
  expect(await reportedTo(token, endpoint.body.id)).toEqual([
    ['payment.restored', { ...restored, cause: 'dispute_won', amount: '10.00' }],
    ['payment.restored', { ...restored, cause: 'refund_failed', amount: '4.00' }],
  ]);
});
