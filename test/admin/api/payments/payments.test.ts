/** Top-ups through the API: from the order to the balance, once, and only when the provider confirms them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { methodsSchema } from '../../../../admin/api/payments/payment-schemas.ts';
import { repetitionPauseMs } from '../../../../admin/payments/take-notification.ts';
import { violationsAtRest } from '../../../harness/books.ts';
import { stripeNotification } from '../../../harness/payments/stripe-wire.ts';
import { yookassaNotification } from '../../../harness/payments/yookassa-wire.ts';
import { type PaymentBench, rub, startPayments, usd } from './start-payments.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments();
});
afterAll(() => bench.stop());

const balanceOf = async (token: string) =>
  (await bench.api.call<{ balanceUsd: string }>('GET', '/api/balance', { token })).body.balanceUsd;
const notify = (method: string, { body, headers = {} }: { body: string; headers?: Record<string, string> }) =>
  bench.api.call<{ result: string }>('POST', `/api/webhooks/${method}`, { body, headers });
const mailsOf = (accountId: number) =>
  bench.harness.database.sql`SELECT kind FROM mails WHERE account_id = ${accountId} ORDER BY id`.then((rows) =>
    rows.map(({ kind }) => kind),
  );

describe('a top-up by YooKassa', () => {
  test('is paid on its page, and twenty concurrent notifications credit the balance once', async () => {
    const { accountId, token } = await bench.newCustomer();
    const { status, body: payment } = await bench.createPayment(token, {
      ...rub('1000.00'),
      returnUrl: '/top-up?step=2',
    });
    expect(status).toBe(201);
    expect(payment).toMatchObject({ status: 'pending', amount: '1000.00', creditUsd: '11.111111111', rate: '90' });
    const held = bench.yookassa.of(payment.id);
    expect(payment.confirmationUrl).toBe(`https://yoomoney.ru/checkout/${held.reference}`);

    bench.yookassa.pay(held);
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => notify('yookassa', yookassaNotification(held))),
    );
    expect(responses.every(({ status }) => status === 200)).toBe(true);
    await Promise.all([bench.work(), bench.work(), bench.work()]);
    expect(await bench.get(token, payment.id)).toMatchObject({
      status: 'succeeded',
      creditUsd: '11.111111111',
      valueRub: '1000',
      confirmationUrl: null,
      transactionId: expect.any(Number),
    });
    expect(await balanceOf(token)).toBe('11.111111111');
    expect(await mailsOf(accountId)).toEqual(['payment_received']);
    expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
  });

  test('sends the provider the receipt of an advance, and our return address', async () => {
    const { email, token } = await bench.newCustomer();
    const { body: payment } = await bench.createPayment(token, { ...rub('500'), returnUrl: '/top-up' });
    const call = bench.yookassa.calls.find(({ body }) => body.includes(payment.id));
    expect(call?.headers['idempotence-key']).toBe(payment.id);
    expect(JSON.parse(call?.body ?? '{}')).toEqual({
      amount: { value: '500.00', currency: 'RUB' },
      capture: true,
      confirmation: { type: 'redirect', return_url: `${bench.api.config.publicUrl}/top-up?payment=${payment.id}` },
      description: 'Top-up 500.00 RUB',
      metadata: { payment_id: payment.id },
      receipt: {
        customer: { email },
        items: [
          {
            description: 'Top-up 500.00 RUB',
            quantity: '1.00',
            amount: { value: '500.00', currency: 'RUB' },
            vat_code: 12,
            payment_subject: 'service',
            payment_mode: 'advance',
          },
        ],
      },
    });
  });

  test('does not believe a forged notification', async () => {
    const { token } = await bench.newCustomer();
    const { body: payment } = await bench.createPayment(token, rub('1000'));
    const forged = { ...bench.yookassa.of(payment.id), state: 'paid' as const, amountMinor: 99_999_999n };
    expect((await notify('yookassa', yookassaNotification(forged))).body.result).toBe('taken');
    await bench.work();
    expect(await bench.get(token, payment.id)).toMatchObject({ status: 'pending' });
  });

  test('is found by polling if every notification is lost', async () => {
    const { token } = await bench.newCustomer();
    const { body: payment } = await bench.createPayment(token, rub('1000'));
    bench.yookassa.pay(bench.yookassa.of(payment.id));
    await bench.work();
    expect(await bench.get(token, payment.id)).toMatchObject({ status: 'pending' });
    await bench.work(new Date(Date.now() + 16_000));
    expect(await bench.get(token, payment.id)).toMatchObject({ status: 'succeeded' });
  });

  test.each(['cut', 'lost', 500, 429] as const)(
    'returns 503 if its creation ends with %s, and is created once when repeated',
    async (fault) => {
      const { token } = await bench.newCustomer();
      const key = crypto.randomUUID();
      bench.yookassa.fault = ({ method }) => (method === 'POST' ? fault : 'none');
      const first = await bench.createPayment(token, rub('1000'), key);
      bench.yookassa.fault = () => 'none';
      expect([first.status, first.error?.code]).toEqual([503, 'payment_provider_unavailable']);
      const { status, body: payment } = await bench.createPayment(token, rub('1000'), key);
      expect([status, payment.status]).toEqual([201, 'pending']);
      const held = [...bench.yookassa.payments.values()].filter(({ paymentId }) => paymentId === payment.id);
      expect(held.map(({ reference }) => `https://yoomoney.ru/checkout/${reference}`)).toEqual([
        payment.confirmationUrl ?? '',
      ]);
    },
  );

  test('is canceled if the provider refuses it', async () => {
    const { token } = await bench.newCustomer();
    bench.yookassa.fault = () => 400 as never;
    const { body: payment } = await bench.createPayment(token, rub('1000'));
    bench.yookassa.fault = () => 'none';
    expect(payment).toMatchObject({ status: 'canceled', confirmationUrl: null });
  });

  test.each([
    ['another amount', { amountMinor: 100n }],
    ['another currency', { currency: 'EUR' }],
    ['another shop', { shop: '999' }],
  ])('books nothing and waits for an operator if it has %s than ordered', async (_, change) => {
    const { token } = await bench.newCustomer();
    const { body: payment } = await bench.createPayment(token, rub('1000'));
    const held = bench.yookassa.of(payment.id);
    Object.assign(held, change);
    bench.yookassa.pay(held);
    await notify('yookassa', yookassaNotification(held));
    await bench.work();
    expect(await bench.get(token, payment.id)).toMatchObject({ status: 'review', transactionId: null });
    expect(await balanceOf(token)).toBe('0');
  });

  test('is mailed about if its payment was declined, and just expires if none was attempted', async () => {
    const { accountId, token } = await bench.newCustomer();
    const { body: declined } = await bench.createPayment(token, rub('1000'));
    const { body: expired } = await bench.createPayment(token, rub('1000'));
    bench.yookassa.of(declined.id).state = 'declined';
    bench.yookassa.of(expired.id).state = 'expired';
    for (const { id } of [declined, expired]) {
      await notify('yookassa', yookassaNotification(bench.yookassa.of(id), 'payment.canceled'));
    }
    await bench.work();
    expect((await bench.get(token, declined.id)).status).toBe('canceled');
    expect((await bench.get(token, expired.id)).status).toBe('expired');
    expect(await mailsOf(accountId)).toEqual(['payment_failed']);
  });

  test('makes one more query for each notification after the provider’s final state', async () => {
    const { accountId, token } = await bench.newCustomer();
    const { body: payment } = await bench.createPayment(token, rub('1000'));
    const held = bench.yookassa.of(payment.id);
    held.state = 'declined';
    const isDue = async () => {
      const [row] = await bench.harness.database.sql<{ next_ask_at: Date | null }[]>`
        SELECT next_ask_at FROM payments WHERE account_id = ${accountId}`;
      return row?.next_ask_at instanceof Date;
    };
    // A notification that reports nothing new may wait.
    for (const laterMs of [0, repetitionPauseMs]) {
      await notify('yookassa', yookassaNotification(held, 'payment.canceled'));
      expect(await isDue()).toBe(true);
      await bench.work(new Date(Date.now() + laterMs));
      expect(await isDue()).toBe(false);
    }
  });

  test("is still polled after a notification that names another shop's declined payment", async () => {
    const { token } = await bench.newCustomer();
    const amount = { amountMinor: 100_000n, currency: 'RUB' };
    const declined = bench.yookassa.open({ ...amount, paymentId: 'an order of another shop' });
    declined.state = 'declined';
    // The provider has the order, and its response is lost.
    bench.yookassa.fault = ({ method }) => (method === 'POST' ? 'cut' : 'none');
    expect((await bench.createPayment(token, rub('1000'))).status).toBe(503);
    bench.yookassa.fault = () => 'none';
    const held = [...bench.yookassa.payments.values()].at(-1);
    if (held === undefined) throw new Error('the provider has no order');
    await notify('yookassa', yookassaNotification({ ...declined, paymentId: held.paymentId }, 'payment.canceled'));
    await bench.work();
    bench.yookassa.pay(held);
    await bench.work(new Date(Date.now() + 60_000));
    expect(await bench.get(token, held.paymentId)).toMatchObject({ status: 'succeeded' });
  });

  test('is credited even if the money arrives after the order was canceled', async () => {
    const { token } = await bench.newCustomer();
    const { body: payment } = await bench.createPayment(token, rub('1000'));
    expect((await bench.decide(payment.id, 'cancel', { reason: 'Ordered twice' })).body.status).toBe('canceled');
    const held = bench.yookassa.of(payment.id);
    bench.yookassa.pay(held);
    await notify('yookassa', yookassaNotification(held));
    await bench.work();
    expect((await bench.get(token, payment.id)).status).toBe('succeeded');
  });
});

describe('a top-up by Stripe', () => {
  test('is looked up after a signed notification, and dollars are credited as dollars', async () => {
    const { accountId, token } = await bench.newCustomer();
    const { body: payment } = await bench.createPayment(token, usd('25.50'));
    const held = bench.stripe.of(payment.id);
    expect(payment).toMatchObject({
      creditUsd: '25.5',
      valueRub: '2295',
      confirmationUrl: expect.stringContaining('stripe'),
    });
    bench.stripe.pay(held);
    expect((await notify('stripe', stripeNotification(held))).body.result).toBe('taken');
    await bench.work();
    expect(await bench.get(token, payment.id)).toMatchObject({ status: 'succeeded' });
    expect(await balanceOf(token)).toBe('25.5');
    expect(await violationsAtRest(bench.harness, [accountId])).toEqual([]);
  });

  test.each([
    ['a wrong secret', { secret: 'whsec_of_another' }],
    ['an old signature', { at: new Date(Date.now() - 301_000) }],
  ])('returns 400 for a notification with %s', async (_, options) => {
    const { token } = await bench.newCustomer();
    const { body: payment } = await bench.createPayment(token, usd('10'));
    const { status, error } = await notify('stripe', stripeNotification(bench.stripe.of(payment.id), options));
    expect([status, error?.code]).toEqual([400, 'invalid_notification']);
  });
});

test('payment methods are listed with the current rate, and their limits at it', async () => {
  const { token } = await bench.newCustomer();
  const { body } = await bench.api.call<typeof methodsSchema.static>('GET', '/api/payments/methods', { token });
  expect(body.rubRate).toEqual({ perUsd: '90', date: null, source: 'configured' });
  expect(body.marginPercent).toBe('0');
  const limits = { minAmount: { RUB: '90.00' }, maxAmount: { RUB: '900000.00' } };
  expect(body.methods).toEqual([
    { id: 'invoice', currencies: ['RUB'], ...limits },
    { id: 'yookassa', currencies: ['RUB'], ...limits },
    { id: 'stripe', currencies: ['USD'], minAmount: { USD: '1.00' }, maxAmount: { USD: '10000.00' } },
    {
      id: 'test',
      currencies: ['RUB', 'USD'],
      minAmount: { RUB: '90.00', USD: '1.00' },
      maxAmount: { RUB: '900000.00', USD: '10000.00' },
    },
  ]);
});

test('a notification of an unknown method returns 405, and an invalid one 400', async () => {
  expect((await notify('paypal', { body: '{}' })).status).toBe(405);
  expect((await notify('yookassa', { body: '{"type":"x"}' })).status).toBe(400);
  expect((await notify('yookassa', { body: 'not JSON' })).status).toBe(400);
  const foreign = { type: 'notification', event: 'payment.succeeded', object: { id: 'nobody-knows-it' } };
  expect((await notify('yookassa', { body: JSON.stringify(foreign) })).body.result).toBe('unknown');
});

test('the page of a test payment lets it succeed or fail', async () => {
  const { token } = await bench.newCustomer();
  for (const [outcome, status] of [
    ['succeed', 'succeeded'],
    ['fail', 'canceled'],
  ] as const) {
    const { body: payment } = await bench.createPayment(token, { ...rub('1000'), method: 'test' });
    const page = `${bench.api.url}/test-payments/${payment.id}`;
    expect(await (await fetch(page)).text()).toContain('Pay 1000.00 RUB?');
    const chosen = await fetch(`${page}/${outcome}`, { method: 'POST', redirect: 'manual' });
    expect(chosen.headers.get('location')).toContain(`/billing?payment=${payment.id}`);
    expect((await bench.get(token, payment.id)).status).toBe(status);
  }
});
