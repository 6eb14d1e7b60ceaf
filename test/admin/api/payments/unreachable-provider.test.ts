/** An order whose provider cannot be reached is queried until the provider responds, however long that takes. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type PaymentBench, rub, startPayments } from './start-payments.ts';

const dayMs = 24 * 3_600_000;

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments();
});
afterAll(() => bench.stop());

test('a provider that was unreachable for a month is queried then, and the top-up is booked', async () => {
  const { token } = await bench.newCustomer();
  const { body: payment } = await bench.createPayment(token, rub('1000'));
  bench.yookassa.pay(bench.yookassa.of(payment.id));
  bench.yookassa.fault = () => 'lost';
  const createdAt = Date.now();
  for (let day = 0; day < 30; day += 1) await bench.work(new Date(createdAt + day * dayMs + 60_000));
  expect(await bench.get(token, payment.id)).toMatchObject({ status: 'pending' });
  bench.yookassa.fault = () => 'none';
  await bench.work(new Date(createdAt + 30 * dayMs));
  expect(await bench.get(token, payment.id)).toMatchObject({ status: 'succeeded', creditUsd: '11.111111111' });
});

test('a provider that has responded is not queried any more after a day', async () => {
  const { token } = await bench.newCustomer();
  const { body: payment } = await bench.createPayment(token, rub('1000'));
  const createdAt = Date.now();
  await bench.work(new Date(createdAt + dayMs / 2));
  await bench.work(new Date(createdAt + 2 * dayMs));
  expect(await bench.get(token, payment.id)).toMatchObject({ status: 'expired' });
  expect(await bench.work(new Date(createdAt + 30 * dayMs))).toBe(0);
});
