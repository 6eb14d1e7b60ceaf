/** Orders that cannot be accepted, and who sees those that can. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { paymentListSchema } from '../../../../admin/api/payments/payment-schemas.ts';
import { type PaymentBench, rub, startPayments } from './start-payments.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments();
});
afterAll(() => bench.stop());

describe('an order', () => {
  test.each([
    ['amount', { amount: '0' }],
    ['amount', { amount: '10.001' }],
    ['amount', { amount: 1000 }],
    ['amount', { amount: '89.99' }],
    ['amount', { amount: '900000.01' }],
    ['currency', { currency: 'USD' }],
    ['currency', { currency: 'EUR' }],
    ['method', { method: 'paypal' }],
    ['returnUrl', { returnUrl: 'https://evil.example/' }],
    ['returnUrl', { returnUrl: '//evil.example/' }],
    ['returnUrl', { returnUrl: '/\\evil.example/' }],
    ['returnUrl', { returnUrl: 'http://localhost:8081@evil.example/' }],
    ['returnUrl', { returnUrl: 'http://user@localhost:8081/' }],
    ['returnUrl', { returnUrl: 'javascript:alert(1)' }],
    ['returnUrl', { returnUrl: 'http://localhost:8081.evil.example/' }],
  ])('is refused with 400 that names %s for %j', async (param, change) => {
    const { token } = await bench.newCustomer();
    const { status, error } = await bench.createPayment(token, { ...rub('1000'), ...change });
    expect([status, error?.param]).toEqual([400, param]);
  });

  test('needs an Idempotency-Key, and the same key with another body is refused', async () => {
    const { token } = await bench.newCustomer();
    const missing = await bench.api.call('POST', '/api/payments', { token, body: rub('1000') });
    expect([missing.status, missing.error?.param]).toEqual([400, 'Idempotency-Key']);
    await bench.createPayment(token, rub('1000'), 'one-key');
    expect((await bench.createPayment(token, rub('1001'), 'one-key')).error?.code).toBe('idempotency_key_reused');
  });

  test('is refused while twenty others are waiting for payment', async () => {
    const { token } = await bench.newCustomer();
    for (let index = 0; index < 20; index += 1) await bench.createPayment(token, { ...rub('1000'), method: 'test' });
    const { status, error } = await bench.createPayment(token, rub('1000'));
    expect([status, error?.code]).toEqual([422, 'too_many_payments']);
  });

  test('an order by bank transfer needs company details', async () => {
    const { token } = await bench.newCustomer();
    const { status, error } = await bench.createPayment(token, { ...rub('1000'), method: 'invoice' });
    expect([status, error?.code]).toEqual([422, 'company_details_missing']);
  });

  test('is listed once however the pages are cut, and nothing ordered meanwhile moves them', async () => {
    const { token } = await bench.newCustomer();
    const ordered: string[] = [];
    const order = async () => ordered.unshift((await bench.createPayment(token, rub('1000'))).body.id);
    for (let made = 0; made < 5; made += 1) await order();
    const list = async (query: string) =>
      (await bench.api.call<typeof paymentListSchema.static>('GET', `/api/payments?${query}`, { token })).body;
    const everything = [...ordered];
    const seen: string[] = [];
    for (let page = await list('limit=2'); ; page = await list(`limit=2&cursor=${page.nextCursor}`)) {
      seen.push(...page.payments.map(({ id }) => id));
      await order();
      if (page.nextCursor === null) break;
    }
    expect(seen).toEqual(everything);
    expect((await list('limit=3&offset=1')).payments.map(({ id }) => id)).toEqual(ordered.slice(1, 4));
    for (const query of ['cursor=x', 'offset=100001']) {
      const { status, error } = await bench.api.call('GET', `/api/payments?${query}`, { token });
      expect([status, error?.code]).toEqual([400, 'invalid_parameter']);
    }
  });

  test('is visible to its own account only', async () => {
    const [owner, other] = [await bench.newCustomer(), await bench.newCustomer()];
    const { body: payment } = await bench.createPayment(owner.token, rub('1000'));
    const list = (token: string) => bench.api.call<{ total: number }>('GET', '/api/payments', { token });
    expect((await list(owner.token)).body.total).toBe(1);
    expect((await list(other.token)).body.total).toBe(0);
    const { status } = await bench.api.call('GET', `/api/payments/${payment.id}`, { token: other.token });
    expect(status).toBe(404);
  });
});
