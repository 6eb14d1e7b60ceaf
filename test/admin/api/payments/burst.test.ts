/**
 * A burst of notifications: everything that is due is booked in one step, in order, and a slow provider does not delay
 * others.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { polledAtOnce, pollProvider } from '../../../../admin/payments/poll-payments.ts';
import type { ScriptedPaymentProvider } from '../../../harness/payments/scripted-provider.ts';
import { type PaymentBench, startPayments } from './start-payments.ts';

let bench: PaymentBench;
let accountId: number;
beforeAll(async () => {
  bench = await startPayments();
  ({ accountId } = await bench.newCustomer());
});
afterEach(() => {
  bench.yookassa.fault = () => 'none';
  bench.stripe.fault = () => 'none';
});
afterAll(() => bench.stop());

const burst = 100;
const currencies = { yookassa: 'RUB', stripe: 'USD' } as const;

/** Paid at the provider, and due one after the other. Returns the provider's references in the order of arrival. */
async function arrive(method: keyof typeof currencies, count: number): Promise<string[]> {
  const provider: ScriptedPaymentProvider = bench[method];
  const currency = currencies[method];
  const references: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const id = Bun.randomUUIDv7();
    const held = provider.open({ paymentId: id, amountMinor: 100n, currency });
    provider.pay(held);
    references.push(held.reference);
    await bench.harness.database.sql`
      INSERT INTO payments (id, account_id, method, currency, amount_minor, credit_nano, rub_per_usd, margin_ppm,
        rub_kopecks, provider_reference, return_url, email, expires_at, next_ask_at)
      VALUES (${id}, ${accountId}, ${method}, ${currency}, 100, 1000000, 900000, 0, 100, ${held.reference},
        'http://localhost/', 'a@example.com', now() + interval '1 hour', now() - interval '1 hour' + ${index} * interval '1 ms')`;
  }
  return references;
}

async function bookedOf(method: string): Promise<number> {
  const [row] = await bench.harness.database.sql<{ booked: string }[]>`
    SELECT count(transaction_id) AS booked FROM payments WHERE method = ${method}`;
  return Number(row?.booked);
}

test('one step books a burst of notifications in the order of arrival, a few concurrently', async () => {
  const references = await arrive('yookassa', burst);
  const begun: string[] = [];
  let running = 0;
  let most = 0;
  bench.yookassa.fault = async ({ path }) => {
    begun.push(path.split('/').at(-1) ?? '');
    running += 1;
    most = Math.max(most, running);
    await Bun.sleep(1);
    running -= 1;
  };
  expect(await pollProvider(bench.payments, 'yookassa')).toBe(burst);
  expect(await bookedOf('yookassa')).toBe(burst);
  expect(most).toBeLessThanOrEqual(polledAtOnce);
  expect(most).toBeGreaterThan(1);
  // They are claimed in order, so one overtakes only those that others have claimed and not queried yet.
  const places = references.map((reference) => begun.indexOf(reference));
  const overtaken = places.map((place, index) => places.slice(0, index).filter((earlier) => earlier > place).length);
  expect(Math.max(...overtaken)).toBeLessThan(polledAtOnce);
  expect(await pollProvider(bench.payments, 'yookassa')).toBe(0);
});

test('a provider that does not respond delays no other, and is not queried again after the end', async () => {
  await arrive('stripe', polledAtOnce + 1);
  await arrive('yookassa', 3);
  const responses = Promise.withResolvers<void>();
  let polls = 0;
  bench.stripe.fault = () => {
    polls += 1;
    return responses.promise;
  };
  const stopping = new AbortController();
  const slow = pollProvider(bench.payments, 'stripe', stopping.signal);
  const before = await bookedOf('yookassa');
  expect(await pollProvider(bench.payments, 'yookassa', stopping.signal)).toBe(3);
  expect(await bookedOf('yookassa')).toBe(before + 3);
  stopping.abort();
  responses.resolve();
  expect(await slow).toBe(polledAtOnce);
  expect(polls).toBe(polledAtOnce);
});
