/** The balance after each transaction is exact on every page, with every filter, and the same as on the receipt. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
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
  expect(body).toEqual({ transactions: [], nextCursor: null });
});

describe('pages with a cursor', () => {
  async function walk(filter: string, limit: number): Promise<readonly Line[]> {
    const lines: Line[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = `?limit=${limit}${filter}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { status, body } = await api.call<TransactionList>('GET', `/api/transactions${query}`, { token });
      expect(status).toBe(200);
      expect(body.transactions.length).toBeLessThanOrEqual(limit);
      lines.push(...body.transactions);
      cursor = body.nextCursor;
    }
    return lines;
  }

  test.each([
    ['', 1],
    ['', 7],
    ['', 50],
    ['&type=usage', 9],
    ['&type=payment', 1],
  ])('with the filter “%s”, %d at a time, have every line once, in order, with its balance', async (filter, limit) => {
    expect(await walk(filter, limit)).toEqual(await listAll(filter));
  });

  test('do not move when something is booked between two of them', async () => {
    const other = await harness.createCustomer({ usd: '10' });
    const credit = (usd: string) =>
      postCredit(harness.database.db, {
        ...{ accountId: other.accountId, type: 'payment', amountNano: parseUsd(usd), reason: usd },
        idempotencyKey: crypto.randomUUID(),
      });
    await credit('1');
    await credit('2');
    const options = { token: await logIn(api, other.email, testPassword) };
    const amounts = ({ transactions }: TransactionList) => transactions.map(({ amountUsd }) => amountUsd);
    const { body: first } = await api.call<TransactionList>('GET', '/api/transactions?limit=1', options);
    await credit('3');
    const query = `?limit=2&cursor=${first.nextCursor}`;
    const { body: second } = await api.call<TransactionList>('GET', `/api/transactions${query}`, options);
    expect([amounts(first), amounts(second), second.nextCursor]).toEqual([['2'], ['1', '10'], null]);
  });

  test.each([
    'x',
    Buffer.from('2030-01-01T09:00:00.123456Z_').toString('base64url'),
    Buffer.from('2030-01-01T09:00:00.123456Z_0').toString('base64url'),
    Buffer.from('2030-02-30T09:00:00.123456Z_1').toString('base64url'),
    Buffer.from('2030-01-01T24:00:00.000000Z_1').toString('base64url'),
    Buffer.from('2030-01-01T09:00:00.123Z_1').toString('base64url'),
    Buffer.from('2030-01-01T09:00:00.123456Z_9999999999999999').toString('base64url'),
    Buffer.from("2030-01-01T09:00:00.123456Z_1'").toString('base64url'),
  ])('are refused for the invalid cursor %s', async (cursor) => {
    const { status, error } = await api.call('GET', `/api/transactions?cursor=${cursor}`, { token });
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_parameter', param: 'cursor' });
  });

  test('are what an offset that is too large is told to use', async () => {
    const { status, error } = await api.call('GET', '/api/transactions?offset=100001', { token });
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_parameter', param: 'offset' });
    expect(error?.message).toContain('use `cursor`');
    expect((await api.call('GET', '/api/transactions?offset=100000', { token })).status).toBe(200);
  });
});
