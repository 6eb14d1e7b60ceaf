/** What remains of payments when an account is deleted, and what its export contains about them. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { consentVersion } from '../../../../admin/payments/auto-top-up/consent-text.ts';
import { testPassword } from '../../../harness/customers.ts';
import { yookassaNotification } from '../../../harness/payments/yookassa-wire.ts';
import { readZip } from '../../../harness/read-files.ts';
import { type PaymentBench, rub, startPayments } from './start-payments.ts';

let bench: PaymentBench;
beforeAll(async () => {
  bench = await startPayments();
});
afterAll(() => bench.stop());

const settings = {
  method: 'yookassa',
  amount: '900',
  currency: 'RUB',
  belowUsd: '5',
  dayLimit: '900',
  monthLimit: '900',
  consentVersion,
  consentLanguage: 'ru',
};

/** Has paid 900 roubles with a card that is saved. */
async function payer() {
  const customer = await bench.newCustomer();
  await bench.api.call('PUT', '/api/payments/auto-top-up', { token: customer.token, body: settings });
  const { body } = await bench.createPayment(customer.token, { ...rub('900'), saveCard: true });
  const held = bench.yookassa.of(body.id);
  bench.yookassa.pay(held);
  await bench.api.call('POST', '/api/webhooks/yookassa', yookassaNotification(held));
  await bench.work();
  return { ...customer, paymentId: body.id, held };
}

const bodiesOf = async (paymentId: string) =>
  (await bench.harness.database.sql`SELECT body FROM payment_events WHERE payment_id = ${paymentId} ORDER BY id`).map(
    ({ body }) => body,
  );

test("the provider's responses, the card and the consent’s address are erased, and later events are empty", async () => {
  const { accountId, token, paymentId, held } = await payer();
  expect((await bodiesOf(paymentId)).every((body) => body !== '')).toBe(true);
  const body = { current_password: testPassword, forfeitBalanceUsd: '10' };
  expect((await bench.api.call('DELETE', '/api/account', { token, body })).status).toBe(200);
  await bench.api.call('POST', '/api/webhooks/yookassa', yookassaNotification(held));
  expect(new Set(await bodiesOf(paymentId))).toEqual(new Set(['']));
  const { sql } = bench.harness.database;
  const [payment] = await sql`SELECT email, amount_minor, status FROM payments WHERE id = ${paymentId}`;
  expect(payment).toMatchObject({ email: '', amount_minor: '90000', status: 'succeeded' });
  const [card] = await sql`SELECT reference, customer, title FROM saved_cards WHERE account_id = ${accountId}`;
  expect(card).toEqual({ reference: null, customer: null, title: null });
  const [consent] = await sql`SELECT address FROM auto_top_up_consents WHERE account_id = ${accountId}`;
  expect(consent).toEqual({ address: null });
  expect([...(await sql`SELECT FROM auto_top_ups WHERE account_id = ${accountId}`)]).toEqual([]);
});

test('what someone ordered for an organization keeps an address for receipts: the organization’s', async () => {
  const { accountId, email, paymentId } = await payer();
  const { sql } = bench.harness.database;
  // Someone who has left the organization since.
  const former = await bench.newCustomer();
  await sql`UPDATE payments SET email = ${former.email.toUpperCase()} WHERE id = ${paymentId}`;
  const body = { current_password: testPassword };
  expect((await bench.api.call('DELETE', '/api/account', { token: former.token, body })).status).toBe(200);
  const [payment] = await sql`SELECT account_id, email FROM payments WHERE id = ${paymentId}`;
  expect(payment).toEqual({ account_id: String(accountId), email });
});

test('the export has every order, the automatic top-ups and the consent, and no token of the card', async () => {
  const { email, token, paymentId, held } = await payer();
  const response = await fetch(`${bench.api.url}/api/account/export`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const files = readZip(await response.bytes());
  const payments = JSON.parse(files.get('payments.json') ?? '');
  expect(payments).toMatchObject([{ id: paymentId, status: 'succeeded', amount: '900.00', email, refunds: [] }]);
  expect(JSON.parse(files.get('auto-top-up.json') ?? '')).toMatchObject({
    settings: { state: 'on', amount: '900.00', belowUsd: '5' },
    card: { title: 'Bank card *4444' },
    consents: [
      { textVersion: consentVersion, words: expect.stringContaining('900.00 RUB'), address: expect.any(String) },
    ],
  });
  expect(files.get('auto-top-up.json')).not.toContain(`card-${held.reference}`);
});

test("the stored events of other accounts' payments stay unchanged", async () => {
  const { paymentId } = await payer();
  const { sql } = bench.harness.database;
  const change = sql`UPDATE payment_events SET body = '' WHERE payment_id = ${paymentId}`;
  expect(change.execute()).rejects.toThrow('what was said is never taken back');
  expect(sql`DELETE FROM payment_events WHERE payment_id = ${paymentId}`.execute()).rejects.toThrow('refuses DELETE');
});
