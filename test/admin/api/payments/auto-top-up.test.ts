/** Automatic top-ups through the API: consent, the saved card, one charge at a time, limits, and what stops them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { autoTopUpSchema } from '../../../../admin/api/payments/auto-top-up/auto-top-up-schemas.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { consentVersion } from '../../../../admin/payments/auto-top-up/consent-text.ts';
import { parseRubPerUsd } from '../../../../shared/money.ts';
import type { ScriptedPaymentProvider } from '../../../harness/payments/scripted-provider.ts';
import { stripeNotification } from '../../../harness/payments/stripe-wire.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import { type Payment, type PaymentBench, rub, startPayments, usd } from './start-payments.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments();
});
afterAll(() => bench.stop());

const path = '/api/payments/auto-top-up';
const hourMs = 3_600_000;
const later = (ms: number) => new Date(Date.now() + ms);
const settings = {
  method: 'yookassa',
  amount: '900.00',
  currency: 'RUB',
  belowUsd: '5',
  dayLimit: '1800.00',
  monthLimit: '9000.00',
  consentVersion,
  consentLanguage: 'en',
};
type View = typeof autoTopUpSchema.static;
const view = async (token: string) => (await bench.api.call<View>('GET', path, { token })).body;
const put = (token: string, change: object = {}) =>
  bench.api.call<View>('PUT', path, { token, body: { ...settings, ...change } });
const listOf = async (token: string) =>
  (await bench.api.call<{ payments: Payment[] }>('GET', '/api/payments', { token })).body.payments;
const automaticOf = async (token: string) => (await listOf(token)).filter(({ isAutomatic }) => isAutomatic);
const mailsOf = async (accountId: number) =>
  (await bench.harness.database.sql`SELECT kind FROM mails WHERE account_id = ${accountId} ORDER BY id`).map(
    ({ kind }) => kind,
  );
/** Books a charge as the usage worker does. */
const use = (accountId: number, costNano: bigint) =>
  applyCharges(bench.harness.database.sql, [chargeOf(accountId, { costNano })], {
    rate: { rubPerUsd: parseRubPerUsd('90'), date: null, source: 'configured' },
    at: new Date(),
  });

/** Top-ups are on, and a card is saved by a payment of 900 roubles: 10 dollars. */
async function withCard(change: object = {}, provider: ScriptedPaymentProvider = bench.yookassa) {
  const customer = await bench.newCustomer();
  expect((await put(customer.token, change)).body.state).toBe('waiting_for_card');
  const input = provider === bench.stripe ? usd('10') : rub('900');
  const { body } = await bench.createPayment(customer.token, { ...input, saveCard: true });
  provider.pay(provider.of(body.id));
  await bench.work(later(16_000));
  expect((await view(customer.token)).state).toBe('on');
  // The balance is checked once the card is saved, and it is not low.
  await bench.topUp(later(17_000));
  expect(await automaticOf(customer.token)).toEqual([]);
  return customer;
}

describe('enabling automatic top-ups', () => {
  test('needs consent to the current text, whose words, time and address are stored', async () => {
    const { accountId, token } = await bench.newCustomer();
    const refused = await put(token, { consentVersion: '2020-01' });
    expect([refused.status, refused.error?.code]).toEqual([422, 'auto_top_up_consent']);
    expect((await view(token)).state).toBe('off');
    await put(token);
    const [consent] = await bench.harness.database.sql`
      SELECT text_version, words, address FROM auto_top_up_consents WHERE account_id = ${accountId}`;
    expect(consent).toMatchObject({ text_version: consentVersion, address: expect.any(String) });
    expect(consent?.words).toContain('900.00 RUB each time my balance falls below 5 USD, at most 1800.00 RUB a day');
  });

  test.each([
    ['amount', { amount: '1.00' }],
    ['currency', { currency: 'USD' }],
    ['method', { method: 'invoice' }],
    ['dayLimit', { dayLimit: '899.99' }],
    ['monthLimit', { monthLimit: '1799.99' }],
    ['belowUsd', { belowUsd: '0' }],
    ['consentLanguage', { consentLanguage: 'de' }],
  ])('returns 400 that names %s for %j', async (param, change) => {
    const { token } = await bench.newCustomer();
    const { status, error } = await put(token, change);
    expect([status, error?.param]).toEqual([400, param]);
  });

  test('is needed before an order may save a card', async () => {
    const { token } = await bench.newCustomer();
    const { status, error } = await bench.createPayment(token, { ...rub('900'), saveCard: true });
    expect([status, error?.code]).toEqual([422, 'auto_top_up_off']);
  });
});

describe.each([
  ['YooKassa', () => bench.yookassa, {}],
  ['Stripe', () => bench.stripe, { method: 'stripe', amount: '10', currency: 'USD', dayLimit: '20', monthLimit: '90' }],
] as const)('an automatic top-up by %s', (_, provider, change) => {
  test('charges the saved card once for a balance below the threshold, even with two admins', async () => {
    const customer = await withCard(change, provider());
    await use(customer.accountId, 4_000_000_000n);
    await bench.topUp();
    expect(await automaticOf(customer.token)).toEqual([]);
    await use(customer.accountId, 2_000_000_000n);
    await Promise.all([bench.topUp(), bench.topUp(), bench.topUp()]);
    const [charged, ...others] = await automaticOf(customer.token);
    expect(charged).toMatchObject({ status: 'succeeded', creditUsd: '10', isAutomatic: true, confirmationUrl: null });
    expect(others).toEqual([]);
    await bench.topUp();
    expect(await automaticOf(customer.token)).toHaveLength(1);
    expect(await mailsOf(customer.accountId)).toEqual(['payment_received', 'low_balance', 'payment_received']);
  });

  test('looks up a charge whose response was lost, and the card is charged once', async () => {
    const customer = await withCard(change, provider());
    await use(customer.accountId, 6_000_000_000n);
    provider().fault = ({ method }) => (method === 'POST' ? 'cut' : 'none');
    await bench.topUp();
    provider().fault = () => 'none';
    expect(await automaticOf(customer.token)).toMatchObject([{ status: 'pending' }]);
    await Promise.all([bench.work(later(16_000)), bench.topUp(), bench.topUp()]);
    expect(await automaticOf(customer.token)).toMatchObject([{ status: 'succeeded' }]);
    const held = [...provider().payments.values()].filter(({ card }) => card !== undefined);
    expect(new Set(held.map(({ paymentId }) => paymentId)).size).toBe(held.length);
  });

  test('is disabled after three failures in a row, with a mail for each', async () => {
    const customer = await withCard(change, provider());
    provider().cardState = () => 'declined';
    await use(customer.accountId, 6_000_000_000n);
    const ends: string[] = [];
    for (const at of [later(0), later(hourMs + 60_000), later(26 * hourMs), later(80 * hourMs)]) {
      await bench.topUp(at);
      await bench.work(at);
      await bench.topUp(at);
      ends.push((await view(customer.token)).state);
    }
    provider().cardState = () => 'paid';
    expect(ends).toEqual(['on', 'on', 'stopped', 'stopped']);
    expect(await automaticOf(customer.token)).toHaveLength(3);
    expect((await mailsOf(customer.accountId)).slice(2)).toEqual([
      'auto_top_up_failed',
      'auto_top_up_failed',
      'auto_top_up_stopped',
    ]);
    expect(await view(customer.token)).toMatchObject({ failures: 3, stopReason: 'failures' });
    // After the customer has enabled it again, the card is charged immediately.
    expect((await put(customer.token, change)).body).toMatchObject({ state: 'on', failures: 0 });
    await bench.topUp(later(60_000));
    expect((await automaticOf(customer.token))[0]).toMatchObject({ status: 'succeeded' });
  });
});

test('payment_intent.succeeded rescues a charge whose response was lost and that Stripe does not list', async () => {
  const change = { method: 'stripe', amount: '10', currency: 'USD', dayLimit: '20', monthLimit: '90' };
  const customer = await withCard(change, bench.stripe);
  await use(customer.accountId, 6_000_000_000n);
  bench.stripe.fault = ({ method, path }) => (method === 'POST' || path === '/v1/payment_intents' ? 'cut' : 'none');
  await bench.topUp();
  await bench.work(later(16_000));
  const [charged] = await automaticOf(customer.token);
  expect(charged?.status).toBe('pending');
  const notification = stripeNotification(bench.stripe.of(charged?.id ?? ''), { type: 'payment_intent.succeeded' });
  expect((await bench.api.call('POST', '/api/webhooks/stripe', notification)).status).toBe(200);
  await bench.work(later(17_000));
  bench.stripe.fault = () => 'none';
  expect(await automaticOf(customer.token)).toMatchObject([{ status: 'succeeded', creditUsd: '10' }]);
});

test('no more is charged than the daily limit, and charges resume the next day', async () => {
  const { accountId, token } = await withCard({ dayLimit: '1000.00' });
  await use(accountId, 6_000_000_000n);
  await bench.topUp();
  await use(accountId, 10_000_000_000n);
  await bench.topUp();
  expect(await automaticOf(token)).toHaveLength(1);
  const next = new Date((await view(token)).nextAttemptAt ?? 0);
  // Midnight in Moscow.
  expect(next.toISOString()).toEndWith('T21:00:00.000Z');
  await bench.topUp(new Date(next.getTime() + 1_000));
  expect(await automaticOf(token)).toHaveLength(2);
});

test('no more is charged than the monthly limit', async () => {
  const { accountId, token } = await withCard({ monthLimit: '1800.00' });
  await use(accountId, 6_000_000_000n);
  await bench.topUp();
  await use(accountId, 10_000_000_000n);
  await bench.topUp();
  await use(accountId, 10_000_000_000n);
  await bench.topUp();
  expect(await automaticOf(token)).toHaveLength(2);
  expect((await view(token)).nextAttemptAt).toMatch(/-\d\dT21:00:00.000Z$/);
});

test('disabling automatic top-ups deletes the card, and nothing more is charged', async () => {
  const { accountId, token } = await withCard();
  await use(accountId, 6_000_000_000n);
  expect((await bench.api.call('DELETE', path, { token })).status).toBe(204);
  await bench.topUp();
  expect(await automaticOf(token)).toEqual([]);
  expect(await view(token)).toMatchObject({ state: 'off', card: null });
  const cards = await bench.harness.database
    .sql`SELECT reference, title FROM saved_cards WHERE account_id = ${accountId}`;
  expect([...cards]).toEqual([{ reference: null, title: null }]);
});

test('the test method covers the whole flow, including a card that is refused later', async () => {
  const { accountId, token } = await bench.newCustomer();
  await put(token, { method: 'test' });
  const { body } = await bench.createPayment(token, { ...rub('900'), method: 'test', saveCard: true });
  const page = await fetch(`${bench.api.url}/test-payments/${body.id}`);
  expect(await page.text()).toContain('refuse the card later');
  await fetch(`${bench.api.url}/test-payments/${body.id}/succeed-once`, { method: 'POST', redirect: 'manual' });
  expect(await view(token)).toMatchObject({ state: 'on', card: { title: 'Test card' } });
  await use(accountId, 6_000_000_000n);
  await bench.topUp();
  await bench.topUp();
  expect(await automaticOf(token)).toMatchObject([{ status: 'canceled' }]);
  expect(await view(token)).toMatchObject({ state: 'on', failures: 1 });
});
