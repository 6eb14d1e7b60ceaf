/**
 * The keys of payment providers leave no trace: after orders, notifications, refunds and failures of every kind, none
 * of them is in a log line, a response, a table, Redis or a file.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { testPassword } from '../../../harness/customers.ts';
import { findInFiles, findInRedis, findInTables, findSecrets } from '../../../harness/find-secrets.ts';
import { type Fault, ScriptedPaymentProvider } from '../../../harness/payments/scripted-provider.ts';
import {
  stripeNotification,
  stripeSecret,
  stripeWebhookSecret,
  stripeWire,
} from '../../../harness/payments/stripe-wire.ts';
import { yookassaNotification, yookassaSecret, yookassaWire } from '../../../harness/payments/yookassa-wire.ts';
import type { Program } from '../../../harness/programs.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { gatewayOf } from '../../cli/run-gateway.ts';

let harness: Harness;
let admin: Program;
let yookassa: ScriptedPaymentProvider;
let stripe: ScriptedPaymentProvider;
const responses: string[] = [];
const secrets = new Map([
  ['secret key of YooKassa', yookassaSecret],
  ['secret key of Stripe', stripeSecret],
  ['webhook secret of Stripe', stripeWebhookSecret],
]);

beforeAll(async () => {
  harness = await startHarness();
  [yookassa, stripe] = await Promise.all([
    ScriptedPaymentProvider.start(yookassaWire),
    ScriptedPaymentProvider.start(stripeWire),
  ]);
  secrets.set('credentials of YooKassa', Buffer.from(`${yookassa.shop}:${yookassaSecret}`).toString('base64'));
  admin = await harness.startAdmin({ LOG_LEVEL: 'debug', ...environment() });
  await useEveryKey();
});
afterAll(async () => {
  await Promise.all([yookassa.stop(), stripe.stop(), harness.stop()]);
});

const environment = () => ({
  USD_RUB_RATE: '90',
  YOOKASSA_SHOP_ID: yookassa.shop,
  YOOKASSA_SECRET_KEY: yookassaSecret,
  YOOKASSA_API_URL: yookassa.url,
  STRIPE_SECRET_KEY: stripeSecret,
  STRIPE_WEBHOOK_SECRET: stripeWebhookSecret,
  STRIPE_API_URL: stripe.url,
});

async function call(path: string, body: object | string, token = '', headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${admin.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'idempotency-key': crypto.randomUUID(), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  responses.push(text, JSON.stringify([...response.headers]));
  return { status: response.status, body: JSON.parse(text) };
}

async function logIn(role: 'customer' | 'operator'): Promise<string> {
  const { email } = await harness.createCustomer({ usd: '0', role });
  const { body } = await call('/api/auth/login', { email, password: testPassword });
  return body.accessToken;
}

async function useEveryKey(): Promise<void> {
  const [token, operator] = [await logIn('customer'), await logIn('operator')];
  for (const [provider, input] of [
    [yookassa, { method: 'yookassa', amount: '1000', currency: 'RUB' }],
    [stripe, { method: 'stripe', amount: '10', currency: 'USD' }],
  ] as const) {
    for (const fault of ['none', 'cut', 'lost', 429, 500] as const satisfies readonly Fault[]) {
      provider.fault = () => fault;
      await call('/api/payments', input, token);
    }
    provider.fault = () => 'none';
    const { body: payment } = await call('/api/payments', input, token);
    const held = provider.of(payment.id);
    provider.pay(held);
    const { body, headers = {} } =
      provider === yookassa ? { ...yookassaNotification(held), headers: {} } : stripeNotification(held);
    await call(`/api/webhooks/${input.method}`, body, '', headers);
    await call(`/api/webhooks/${input.method}`, '{"type": "forged"}', '', headers);
    await waitFor('the booking', guardTimeoutMs, async () => {
      const [row] = await harness.database.sql`SELECT FROM payments WHERE id = ${payment.id} AND status = 'succeeded'`;
      return row !== undefined;
    });
    const refund = { amount: input.amount, reason: 'Paid too much' };
    expect((await call(`/api/operator/payments/${payment.id}/refund`, refund, operator)).status).toBe(201);
  }
  const diagnosed = await gatewayOf(harness)(['doctor'], { environment: environment() });
  responses.push(diagnosed.out, diagnosed.problem);
}

test("no response contains a provider's secret", () => {
  expect(responses.length).toBeGreaterThan(30);
  expect(findSecrets(secrets, responses.join('\n'))).toEqual([]);
});

test("no table contains a provider's secret", async () => {
  for (const [name, found] of await findInTables(harness, secrets))
    expect({ name, found }).toEqual({ name, found: [] });
});

test("Redis contains no provider's secret", async () => {
  expect(await findInRedis(harness, secrets)).toEqual([]);
});

test("no log or other file contains a provider's secret", async () => {
  // A program that has exited has written its whole log.
  await admin.stop();
  expect(await Bun.file(admin.logFile).text()).toContain('/api/webhooks/stripe');
  expect(await findInFiles(harness, secrets)).toEqual([]);
});
