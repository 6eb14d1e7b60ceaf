/** `gateway payment`: an operator decides about payments without a dashboard. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { stripeSecret } from '../../harness/payments/stripe-wire.ts';
import { yookassaSecret } from '../../harness/payments/yookassa-wire.ts';
import { type PaymentBench, rub, startPayments } from '../api/payments/start-payments.ts';
import { type Gateway, gatewayOf } from './run-gateway.ts';

let bench: PaymentBench;
let gateway: Gateway;
beforeAll(async () => {
  bench = await startPayments();
  gateway = gatewayOf(bench.harness);
});
afterAll(() => bench.stop());

const environment = { CBR_URL: 'off', USD_RUB_RATE: '100' };
const run = <Json>(...args: string[]) => gateway<Json>(['payment', ...args, '--json'], { environment });
const create = async () => {
  const customer = await bench.newCustomer();
  const { body } = await bench.createPayment(customer.token, { ...rub('1000'), method: 'test' });
  return { ...customer, id: body.id };
};
const confirmArgs = (id: string) => ['confirm', id, '--paid-at', '2026-01-15', '--reason', 'Bank statement'];

test('an order is listed, confirmed at the rate of the day, and refunded by the running admin', async () => {
  const { email, id, token } = await create();
  const listed = await run<{ payments: { id: string; status: string }[] }>('list', '--email', email);
  expect(listed.json.payments).toMatchObject([{ id, status: 'pending' }]);

  const confirmed = await run(...confirmArgs(id), '--reference', `${id}-1`);
  expect(confirmed.json).toEqual({ id, status: 'succeeded', creditUsd: '10' });
  const again = await run(...confirmArgs(id), '--reference', `${id}-2`);
  expect([again.exitCode, again.error?.code]).toEqual([1, 'payment_state']);

  const refund = await run<{ status: string }>('refund', id, '--amount', '250', '--reason', 'Paid too much');
  expect(refund.json.status).toBe('pending');
  await bench.work(new Date(Date.now() + 60_000));
  expect(await bench.get(token, id)).toMatchObject({ refundedAmount: '250.00', refunds: [{ status: 'succeeded' }] });
});

test('an order is canceled with a reason', async () => {
  const { id, token } = await create();
  expect((await run('cancel', id, '--reason', 'Ordered twice')).json).toEqual({ id, status: 'canceled' });
  expect((await bench.get(token, id)).status).toBe('canceled');
});

test.each([
  { args: ['list', '--status', 'lost'] },
  { args: ['cancel', '17', '--reason', 'x'] },
  {
    args: ['confirm', Bun.randomUUIDv7(), '--paid-at', '2999-01-01', '--reference', '1', '--reason', 'x'],
  },
])('a wrong call of payment $args.0 is refused', async ({ args }) => {
  expect((await run(...args)).exitCode).toBe(2);
});

describe('gateway doctor', () => {
  const diagnose = (yookassaKey: string) => {
    const keys = {
      YOOKASSA_SHOP_ID: bench.yookassa.shop,
      YOOKASSA_SECRET_KEY: yookassaKey,
      YOOKASSA_API_URL: bench.yookassa.url,
      STRIPE_SECRET_KEY: stripeSecret,
      STRIPE_WEBHOOK_SECRET: 'whsec_of_the_script',
      STRIPE_API_URL: bench.stripe.url,
    };
    return gateway<{ checks: object[] }>(['doctor', '--json'], { environment: { ...environment, ...keys } });
  };

  test('asks each configured payment provider whether its keys work', async () => {
    const { json } = await diagnose(yookassaSecret);
    expect(json.checks).toContainEqual({ check: 'payment yookassa', status: 'ok', detail: 'shop 506751, for tests' });
    expect(json.checks).toContainEqual({ check: 'payment stripe', status: 'ok', detail: 'test keys' });
  });

  test('fails with exit code 1 for a key that the provider refuses', async () => {
    const { exitCode, json } = await diagnose('test_of_another_shop');
    expect(exitCode).toBe(1);
    expect(json.checks).toContainEqual(
      expect.objectContaining({ check: 'payment yookassa', status: 'fail', detail: expect.stringContaining('401') }),
    );
  });
});
