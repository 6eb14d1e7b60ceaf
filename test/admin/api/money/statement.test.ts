/** The balance after each transaction is exact on every page, with every filter, and the same as on the receipt. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { postCredit } from '../../../../admin/ledger/post-credit.ts';
import { nanoUsd, parseUsd } from '../../../../shared/money.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { Receipt, TransactionList } from '../response-types.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

type Line = TransactionList['transactions'][number];

const minuteMs = 60_000;
const chargeCount = 120;

let harness: Harness;
let api: Api;
let customer: Customer;
let token: string;
beforeAll(async () => {
  harness = await startHarness();
  await harness.applyCatalogue(testCatalogue('http://127.0.0.1:9/v1'));
  const [price] = await harness.database.sql`SELECT version FROM model_prices WHERE model = 'test/chat'`;
  api = await startApi(harness);
  customer = await harness.createCustomer({ usd: '10' });
  token = await logIn(api, customer.email, testPassword);
  // Pairs of charges at one instant, several in each of many quarters of an hour; credits lie among them.
  const startMs = Date.now() - chargeCount * minuteMs;
  const charges = [...new Array(chargeCount).keys()].map((n) => {
    const chargedAt = new Date(startMs + Math.floor(n / 2) * 3 * minuteMs);
    const charge = chargeOf(customer.accountId, { keyId: customer.proxyKeyId, costNano: BigInt(1_000 + n), chargedAt });
    return { ...charge, detail: { ...charge.detail, priceVersion: Number(price?.version) } };
  });
  await applyCharges(harness.database.sql, charges);
  for (const [type, usd] of [
    ['payment', '3.5'],
    ['refund', '0.000000001'],
  ] as const) {
    const input = { accountId: customer.accountId, type, amountNano: parseUsd(usd), reason: type };
    await postCredit(harness.database.db, { ...input, idempotencyKey: crypto.randomUUID() });
  }
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

async function list(query = ''): Promise<readonly Line[]> {
  const { status, body } = await api.call<TransactionList>('GET', `/api/transactions${query}`, { token });
  expect(status).toBe(200);
  return body.transactions;
}

async function listAll(filter = ''): Promise<readonly Line[]> {
  const pages = await Promise.all([0, 50, 100].map((offset) => list(`?offset=${offset}${filter}`)));
  return pages.flat();
}

/** A correction or a charge is negative. */
function nano(text: string): bigint {
  return text.startsWith('-') ? -parseUsd(text.slice(1)) : nanoUsd(parseUsd(text));
}

test('balances after consecutive transactions differ by their amounts, down to zero', async () => {
  const lines = await listAll();
  expect(lines.length).toBe(chargeCount + 3);
  let after = 0n;
  for (const { amountUsd, balanceAfter } of lines.toReversed()) {
    after += nano(amountUsd);
    expect(nano(balanceAfter)).toBe(after);
  }
  const { body } = await api.call<{ balanceUsd: string }>('GET', '/api/balance', { token });
  expect(lines[0]?.balanceAfter).toBe(body.balanceUsd);
});

test.each([
  '&type=usage',
  '&type=payment',
  '&type=refund',
  `&to=${new Date(Date.now() - 30 * minuteMs).toISOString()}`,
])('a filter such as %s does not change the balance after a transaction', async (filter) => {
  const balances = new Map((await listAll()).map(({ id, balanceAfter }) => [id, balanceAfter]));
  const found = await listAll(filter);
  expect(found.length).toBeGreaterThan(0);
  for (const { id, balanceAfter } of found) expect(balanceAfter).toBe(balances.get(id) ?? '');
});

test('the receipt of a request has the same balance', async () => {
  for (const { requestId, balanceAfter } of await list('?type=usage&limit=10&offset=40')) {
    const { body } = await api.call<Receipt>('GET', `/api/requests/${requestId}`, { token });
    expect(body.balanceAfter).toBe(balanceAfter);
  }
});

test('an account without transactions has an empty statement', async () => {
  const other = await harness.createCustomer({ usd: '0' });
  const { body } = await api.call('GET', '/api/transactions', { token: await logIn(api, other.email, testPassword) });
  expect(body).toEqual({ transactions: [] });
});
