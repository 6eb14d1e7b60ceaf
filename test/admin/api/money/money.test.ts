/** The balance and transactions are exact, complete, ordered and private. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { postCredit } from '../../../../admin/ledger/post-credit.ts';
import { nanoUsd, parseUsd } from '../../../../shared/money.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { Balance, TransactionList } from '../response-types.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

async function newCustomer(usd: string): Promise<Customer & { token: string }> {
  const customer = await harness.createCustomer({ usd });
  return { ...customer, token: await logIn(api, customer.email, testPassword) };
}

function credit(customer: Customer, usd: string, type: 'payment' | 'refund' = 'payment') {
  const input = { accountId: customer.accountId, type, amountNano: parseUsd(usd), reason: `${type} of ${usd}` };
  return postCredit(harness.database.db, { ...input, idempotencyKey: crypto.randomUUID() });
}

/** A charge as the worker books it. */
async function charge(customer: Customer, nano: bigint, options: { requestId: string; createdAt?: string }) {
  await harness.database.sql.begin(async (sql) => {
    const [journal] = await sql`INSERT INTO journals (type, reason) VALUES ('usage', 'usage') RETURNING id`;
    const createdAt = options.createdAt ?? new Date().toISOString();
    await sql`
      INSERT INTO ledger_lines (journal_id, book, account_id, amount_nano, type, description, request_id, model, created_at)
      VALUES (${journal?.id}, 'wallet', ${customer.accountId}, ${String(-nano)}, 'usage', 'a chat', ${options.requestId},
              'gpt-4o-mini', ${createdAt}),
             (${journal?.id}, 'revenue', NULL, ${String(nano)}, 'usage', 'a chat', NULL, NULL, ${createdAt})`;
    await sql`
      UPDATE accounts SET balance_nano = balance_nano - ${String(nano)}, spent_nano = spent_nano + ${String(nano)}
      WHERE id = ${customer.accountId}`;
  });
}

describe('GET /api/balance', () => {
  const rubRate = { perUsd: '90', date: null, source: 'configured' as const };
  const balance = async (token: string, of = api) => (await of.call<Balance>('GET', '/api/balance', { token })).body;

  const shown = ([balanceUsd, availableUsd, reservedUsd]: [string, string, string], balanceRubDecimal: string) => ({
    ...{ balance: Number(balanceUsd), balanceUsd },
    ...{ available: Number(availableUsd), availableUsd },
    ...{ reserved: Number(reservedUsd), reservedUsd },
    ...{ balanceRub: Number(balanceRubDecimal), balanceRubDecimal },
    rubRate,
  });

  test('is zero for a new customer', async () => {
    const { token } = await newCustomer('0');
    expect(await balance(token)).toEqual(shown(['0', '0', '0'], '0'));
  });

  test('returns posted money exactly, and in roubles rounded down to a kopeck', async () => {
    const { token } = await newCustomer('123456.123456789');
    expect(await balance(token)).toEqual(shown(['123456.123456789', '123456.123456789', '0'], '11111051.11'));
  });

  test('subtracts running requests from the available amount, not from the balance', async () => {
    const { token, accountId } = await newCustomer('10');
    const wallet = `{s${shardOfAccount(accountId)}}:wallet:${accountId}`;
    await harness.redis.hset(wallet, { available: '9250000000', held: '750000000' });
    expect(await balance(token)).toEqual(shown(['10', '9.25', '0.75'], '900'));
  });

  test('counts everything posted as available without a wallet, and without Redis', async () => {
    const { token, accountId } = await newCustomer('10');
    await harness.redis.del(`{s${shardOfAccount(accountId)}}:wallet:${accountId}`);
    const expected = shown(['10', '10', '0'], '900');
    expect(await balance(token)).toEqual(expected);
    const withoutRedis = await startApi(harness, { environment: { REDIS_URL: 'redis://127.0.0.1:1' } });
    const response = await balance(token, withoutRedis);
    await withoutRedis.stop();
    expect(response).toEqual(expected);
  });

  test('uses the configured rate if there is none from the Bank of Russia', async () => {
    const { token } = await newCustomer('10');
    const other = await startApi(harness, { environment: { USD_RUB_RATE: '101.2345' } });
    const response = await balance(token, other);
    await other.stop();
    expect(response.balanceRub).toBe(1012.34);
    expect(response.rubRate).toEqual({ perUsd: '101.2345', date: null, source: 'configured' });
  });

  test("uses the bank's newest rate if there is any, with its date", async () => {
    const { token } = await newCustomer('10');
    const { sql } = harness.database;
    await sql`
      INSERT INTO exchange_rates (date, rub_per_usd, read_at)
      VALUES ('2030-01-01', 800000, now()), ('2030-01-02', 812345, now())`;
    const response = await balance(token);
    await sql`DELETE FROM exchange_rates`;
    const published = { perUsd: '81.2345', date: '2030-01-02', source: 'cbr' };
    expect(response).toMatchObject({ balanceRub: 812.34, rubRate: published });
  });
});

describe('GET /api/transactions', () => {
  const list = (token: string, query = '') => api.call<TransactionList>('GET', `/api/transactions${query}`, { token });

  test('returns signed payments, refunds and usage, newest first, and only the customer’s side', async () => {
    const customer = await newCustomer('10');
    const requestId = Bun.randomUUIDv7();
    await charge(customer, 123n, { requestId });
    await credit(customer, '0.5', 'refund');
    const { status, body } = await list(customer.token);
    expect(status).toBe(200);
    const createdAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    const id = expect.any(Number);
    const balanceAfter = expect.any(String);
    const parts = { kind: 'usage' as const };
    const usage = { type: 'usage' as const, description: 'a chat', requestId, model: 'gpt-4o-mini', parts };
    const credited = { id, parts: { kind: 'credit' as const }, createdAt, balanceAfter };
    expect(body).toEqual({
      transactions: [
        { ...credited, amount: 0.5, amountUsd: '0.5', type: 'refund', description: 'refund of 0.5' },
        { ...usage, id, amount: -1.23e-7, amountUsd: '-0.000000123', createdAt, balanceAfter },
        { ...credited, amount: 10, amountUsd: '10', type: 'payment', description: 'test' },
      ],
      nextCursor: null,
    });
  });

  test('does not return another customer’s transactions', async () => {
    const customer = await newCustomer('0');
    await newCustomer('10');
    expect((await list(customer.token)).body).toEqual({ transactions: [], nextCursor: null });
  });

  test('returns pages of one instant that neither overlap nor leave gaps', async () => {
    const customer = await newCustomer('10');
    const createdAt = '2030-01-01T00:00:00Z';
    for (let n = 0; n < 60; n += 1) await charge(customer, 1n, { requestId: Bun.randomUUIDv7(), createdAt });
    const first = (await list(customer.token)).body.transactions;
    expect(first.length).toBe(50);
    const pages = await Promise.all(
      [0, 7, 14, 21, 28, 35, 42, 49, 56].map((offset) => list(customer.token, `?limit=7&offset=${offset}`)),
    );
    const ids: number[] = pages.flatMap(({ body }) => body.transactions.map((line) => line.id));
    expect(ids.length).toBe(61);
    expect(new Set(ids).size).toBe(61);
    expect(ids.slice(0, 60)).toEqual(ids.slice(0, 60).sort((one, other) => other - one));
    expect(ids.slice(0, 50)).toEqual(first.map((line) => line.id));
  });

  test('filters by type and by time, with inclusive from and exclusive to', async () => {
    const customer = await newCustomer('10');
    for (const day of ['01', '02', '03']) {
      await charge(customer, 1n, { requestId: Bun.randomUUIDv7(), createdAt: `2030-01-${day}T00:00:00Z` });
    }
    const days = async (query: string) => {
      const { body } = await list(customer.token, query);
      return body.transactions.map((line) => line.createdAt.slice(8, 10));
    };
    expect(await days('?type=usage')).toEqual(['03', '02', '01']);
    expect(await days('?type=usage&from=2030-01-02T00:00:00Z')).toEqual(['03', '02']);
    expect(await days('?type=usage&to=2030-01-02T00:00:00Z')).toEqual(['01']);
    expect(await days(`?from=2030-01-01T00:00:00Z&to=${encodeURIComponent('2030-01-03T03:00:00+03:00')}`)).toEqual([
      '02',
      '01',
    ]);
    expect(await days('?type=refund')).toEqual([]);
  });

  test.each([
    ['limit', '0'],
    ['limit', '51'],
    ['limit', '-1'],
    ['limit', '1.5'],
    ['limit', '1e1'],
    ['limit', 'x'],
    ['limit', ''],
    ['offset', '-1'],
    ['offset', '1000001'],
    ['offset', 'x'],
    ['from', 'yesterday'],
    ['from', '2030-01'],
    ['to', '2030-13-01T00:00:00Z'],
    ['type', 'gift'],
    ['type', ''],
  ])('returns 400 that names %s for "%s"', async (param, value) => {
    const { token } = await newCustomer('0');
    const { status, error } = await list(token, `?${param}=${value}`);
    expect(status).toBe(400);
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_parameter', param });
  });
});

test('an amount that a double cannot represent exactly is returned as the nearest number', async () => {
  const customer = await newCustomer('0');
  await credit(customer, '8999999.999999999');
  const { body } = await api.call<Balance>('GET', '/api/balance', { token: customer.token });
  expect(body.balance).toBe(Number('8999999.999999999'));
  expect(nanoUsd(8_999_999_999_999_999n)).toBe(parseUsd('8999999.999999999'));
});
