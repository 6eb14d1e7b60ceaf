/**
 * Notifications that anyone can send: little of them is stored, once, and a flood does not make admin query the
 * provider constantly.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import { notificationsAddressMax } from '../../../../admin/auth/throttle/request-throttle.ts';
import { throttleKey } from '../../../../admin/auth/throttle/throttle.ts';
import { repetitionPauseMs, storedMax } from '../../../../admin/payments/take-notification.ts';
import { purgeNotifications } from '../../../../admin/workers/purge-expired.ts';
import { inCampaign } from '../../../harness/campaigns.ts';
import { hostileJson } from '../../../harness/hostile-json.ts';
import { stripeNotification } from '../../../harness/payments/stripe-wire.ts';
import { yookassaNotification } from '../../../harness/payments/yookassa-wire.ts';
import { type PaymentBench, startPayments } from './start-payments.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments();
});
afterAll(() => bench.stop());

const dayMs = 86_400_000;
/** The body of an unsigned notification with as many quotes as possible. */
const rowMaxLength = 600;
const notify = (method: string, body: string, headers: Record<string, string> = {}) =>
  bench.api.call<{ result: string }>('POST', `/api/webhooks/${method}`, { body, headers });

async function createOne(method: string, amount = '1000', currency = 'RUB') {
  const { token } = await bench.newCustomer();
  const { body } = await bench.createPayment(token, { method, amount, currency });
  return body;
}
async function storedOf(paymentId: string) {
  const [row] = await bench.harness.database.sql<{ rows: string; longest: string }[]>`
    SELECT count(*) AS rows, coalesce(max(length(body)), 0) AS longest FROM payment_events
    WHERE payment_id = ${paymentId} AND kind = 'notification'`;
  return { rows: Number(row?.rows), longest: Number(row?.longest) };
}
async function dueInMs(paymentId: string): Promise<number> {
  const [row] = await bench.harness.database.sql<{ next_ask_at: Date | null }[]>`
    SELECT next_ask_at FROM payments WHERE id = ${paymentId}`;
  return (row?.next_ask_at?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now();
}

test('the same notification, however often and however large, is stored once and small', async () => {
  const { id } = await createOne('yookassa');
  const held = bench.yookassa.of(id);
  const large = JSON.parse(yookassaNotification(held).body);
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      notify('yookassa', JSON.stringify({ ...large, n, padding: 'x'.repeat(50_000) })),
    ),
  );
  expect(new Set(responses.map(({ body }) => body.result))).toEqual(new Set(['taken']));
  const { rows, longest } = await storedOf(id);
  expect(rows).toBe(1);
  expect(longest).toBeLessThan(rowMaxLength);
});

test('notifications about one order store only a few short rows, whatever they say (campaign)', async () => {
  const { id } = await createOne('yookassa');
  const { reference } = bench.yookassa.of(id);
  const text = fc.string({ maxLength: 2_000, size: 'max' });
  const notification = fc.record({
    event: fc.oneof(fc.constantFrom('payment.succeeded', 'payment.canceled'), text, fc.jsonValue()),
    object: fc.record({
      id: fc.constant(reference),
      status: fc.oneof(text, fc.jsonValue()),
    }),
  });
  const property = fc.asyncProperty(fc.array(notification, { minLength: 1, maxLength: 10 }), async (all) => {
    const bodies = all.map((one) => JSON.stringify({ type: 'notification', ...one }));
    for (const { status } of await Promise.all(bodies.map((body) => notify('yookassa', body))))
      expect(status).toBe(200);
  });
  await fc.assert(property, { numRuns: inCampaign(6, 15) });
  const { rows, longest } = await storedOf(id);
  expect(rows).toBeLessThanOrEqual(storedMax);
  expect(longest).toBeLessThan(rowMaxLength);
});

test('a notification of any shape is accepted, unknown or refused as malformed (campaign)', async () => {
  const { id } = await createOne('yookassa');
  const { reference } = bench.yookassa.of(id);
  const perhaps = (usual: unknown) => fc.option(fc.oneof(fc.constant(usual), hostileJson), { nil: undefined, freq: 8 });
  const object = fc.record({
    id: fc.oneof(perhaps(reference), fc.constantFrom('\0', `${reference}\0`, '\ud800')),
    payment_id: perhaps(reference),
    status: perhaps('succeeded'),
    metadata: perhaps({ payment_id: id }),
  });
  const notification = fc.record({
    type: fc.oneof({ weight: 8, arbitrary: fc.constant('notification') }, { weight: 1, arbitrary: hostileJson }),
    event: fc.oneof(fc.constantFrom<unknown>('payment.succeeded', 'refund.succeeded'), hostileJson),
    object: fc.oneof({ weight: 8, arbitrary: object }, { weight: 1, arbitrary: hostileJson }),
  });
  const property = fc.asyncProperty(fc.array(notification, { minLength: 1, maxLength: 20 }), async (all) => {
    const responses = await Promise.all(all.map((one) => notify('yookassa', JSON.stringify(one))));
    for (const { status, body, error } of responses)
      expect(String(status === 200 ? body.result : error?.code)).toMatch(/^(?:taken|unknown|invalid_notification)$/);
  });
  await fc.assert(property, { numRuns: inCampaign(6, 15) });
});

test('an id that is longer than any valid one is refused without a query', async () => {
  const { id } = await createOne('yookassa');
  const object = { id: 'x'.repeat(5_000), metadata: { payment_id: id } };
  const { status, error } = await notify(
    'yookassa',
    JSON.stringify({ type: 'notification', event: 'payment.succeeded', object }),
  );
  expect([status, error?.code]).toEqual([400, 'invalid_notification']);
});

test('a new state makes admin query the provider immediately, a repetition only after a pause', async () => {
  const { id } = await createOne('yookassa');
  const held = bench.yookassa.of(id);
  const { body } = yookassaNotification(held);
  await notify('yookassa', body);
  expect(await dueInMs(id)).toBeLessThanOrEqual(0);
  // The provider has reported that the payment is still pending; the first pause is as long as that of a repetition.
  await bench.harness.database.sql`UPDATE payments SET next_ask_at = NULL WHERE id = ${id}`;
  for (let count = 0; count < 3; count += 1) await notify('yookassa', body);
  const due = await dueInMs(id);
  expect(due).toBeGreaterThan(0);
  expect(due).toBeLessThanOrEqual(repetitionPauseMs);
  await notify('yookassa', yookassaNotification(held, 'payment.canceled').body);
  expect(await dueInMs(id)).toBeLessThanOrEqual(0);
});

test('a signed notification is stored whole, and once', async () => {
  const { id } = await createOne('stripe', '20', 'USD');
  const signed = await stripeNotification(bench.stripe.of(id));
  for (let count = 0; count < 3; count += 1) await notify('stripe', signed.body, signed.headers);
  const events = await bench.harness.database.sql<{ body: string }[]>`
    SELECT body FROM payment_events WHERE payment_id = ${id} AND kind = 'notification'`;
  expect(events.map(({ body }) => body)).toEqual([signed.body]);
});

test('an address that floods is refused with 429, and others are not', async () => {
  const address = '203.0.113.9';
  await bench.harness.redis.set(throttleKey('notifications', address), String(notificationsAddressMax), 'EX', 60);
  const from = (sender: string) => notify('yookassa', '{"type":"x"}', { 'x-forwarded-for': sender });
  const refused = await from(address);
  expect([refused.status, refused.error?.code]).toEqual([429, 'too_many_attempts']);
  expect((await from('203.0.113.10')).status).toBe(400);
});

test('notifications are purged after 90 days unless their payment is still open, other events never', async () => {
  const { sql } = bench.harness.database;
  const [sent, over] = [await createOne('yookassa'), await createOne('yookassa')];
  for (const { id } of [sent, over]) {
    await notify('yookassa', yookassaNotification(bench.yookassa.of(id)).body);
    await sql`INSERT INTO payment_events (payment_id, kind, body) VALUES (${id}, 'answer', '{}')`;
  }
  await sql`UPDATE payments SET next_ask_at = NULL WHERE id = ${over.id}`;
  const kindsOf = async (id: string) =>
    (await sql<{ kind: string }[]>`SELECT kind FROM payment_events WHERE payment_id = ${id} ORDER BY id`).map(
      ({ kind }) => kind,
    );
  await purgeNotifications(sql, new Date(Date.now() + 89 * dayMs));
  expect(await kindsOf(over.id)).toEqual(['notification', 'answer']);
  // The database itself refuses to delete younger rows.
  expect(purgeNotifications(sql, new Date(Date.now() + 91 * dayMs))).rejects.toThrow('refuses DELETE');
  await sql.begin(async (transaction) => {
    await transaction`SET LOCAL session_replication_role = replica`;
    await transaction`UPDATE payment_events SET received_at = received_at - interval '91 days'`;
  });
  await purgeNotifications(sql, new Date());
  expect(await kindsOf(over.id)).toEqual(['answer']);
  expect(await kindsOf(sent.id)).toEqual(['notification', 'answer']);
  expect(sql`DELETE FROM payment_events WHERE payment_id = ${over.id}`.execute()).rejects.toThrow('refuses DELETE');
});
