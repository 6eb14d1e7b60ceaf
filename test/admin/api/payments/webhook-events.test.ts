/** What webhooks report of payments: once, however often the provider notifies, and with exact amounts. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { yookassaNotification } from '../../../harness/payments/yookassa-wire.ts';
import { type PaymentBench, rub, startPayments } from './start-payments.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments({ WEBHOOK_ALLOW_PRIVATE: 'true' });
});
afterAll(() => bench.stop());

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
  const path = `/api/webhooks/${endpoint.body.id}/deliveries`;
  const { body: listed } = await bench.api.call<{ deliveries: { type: string; data: object }[] }>('GET', path, {
    token,
  });
  expect(listed.deliveries.map(({ type, data }) => [type, data]).toReversed()).toEqual([
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
