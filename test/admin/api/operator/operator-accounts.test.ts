/** What operators can do with accounts: find, block and limit them, with immediate effect and an audit entry. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { noLimits } from '../../../harness/no-limits.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { AccountDetail, AccountList, AuditList } from '../response-types.ts';
import { type Api, createOperator, goodPassword, logIn, type Operator, register, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let operator: Operator;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  operator = await createOperator(harness, api);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const ask = <Body>(method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  api.call<Body>(method, `/api/operator${path}`, { token: operator.token, headers, ...(body && { body }) });
const auditOf = async (accountId: number) =>
  (await ask<AuditList>('GET', `/audit?accountId=${accountId}`)).body.entries;

/** The published record that the proxy reads. */
async function publishedKey(customer: Customer): Promise<Record<string, string>> {
  const [row] = await harness.database.sql`SELECT hash FROM api_keys WHERE id = ${customer.proxyKeyId}`;
  const [name = ''] = await harness.redis.keys(`*:key:${row?.hash}`);
  return harness.redis.hgetall(name);
}

describe('GET /accounts', () => {
  const idsOf = async (query: string) => {
    const { status, body } = await ask<AccountList>('GET', `/accounts?${query}`);
    expect(status).toBe(200);
    return body.accounts.map(({ id }) => id);
  };

  test('finds accounts by id, INN, and parts of e-mail, name and company, ignoring case', async () => {
    const mine = await harness.createCustomer({ usd: '2', email: 'Grace_Hopper@navy.example' });
    const other = await harness.createCustomer({ usd: '0', email: 'graceXhopper@navy.example' });
    const { sql } = harness.database;
    await sql`UPDATE users SET display_name = 'Rear Admiral' WHERE id = ${mine.userId}`;
    await sql`
      INSERT INTO company_details (account_id, account_type, company_name, inn)
      VALUES (${mine.accountId}, 'OOO', 'ООО «Ромашка и К%»', '7707083893')`;
    for (const search of [
      String(mine.accountId),
      '7707083893',
      'grace_hopper',
      'rear adm',
      'РОМАШКА',
      'к%»',
      ' ромашка ',
    ]) {
      expect(await idsOf(`search=${encodeURIComponent(search)}`)).toEqual([mine.accountId]);
    }
    expect(await idsOf('search=navy.example')).toEqual([other.accountId, mine.accountId]);
    expect(await idsOf('search=770708')).toEqual([]);
    const { body } = await ask<AccountList>('GET', `/accounts?search=7707083893`);
    expect(body.accounts).toEqual([
      {
        id: mine.accountId,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        email: 'Grace_Hopper@navy.example',
        displayName: 'Rear Admiral',
        role: 'customer',
        accountType: 'OOO',
        companyName: 'ООО «Ромашка и К%»',
        inn: '7707083893',
        balance: '2',
        credited: '2',
        spent: '0',
        blockedAt: null,
        deletedAt: null,
      },
    ]);
  });

  test('returns pages that neither overlap nor leave gaps', async () => {
    const all = await idsOf('');
    const seen: number[] = [];
    let before = '';
    for (;;) {
      const page = await idsOf(`limit=2${before}`);
      if (page.length === 0) break;
      seen.push(...page);
      before = `&beforeId=${page.at(-1)}`;
    }
    expect(seen).toEqual(all);
  });

  test.each(['limit=0', 'limit=101', 'beforeId=x', 'blocked=yes', 'search='])('returns 400 for %s', async (query) => {
    const { status, error } = await ask<AccountList>('GET', `/accounts?${query}`);
    expect({ status, param: error?.param }).toEqual({ status: 400, param: query.split('=')[0] ?? '' });
  });
});

describe('GET /accounts/{id}', () => {
  test('returns balance, wallet, users, keys and the newest transactions', async () => {
    const customer = await harness.createCustomer({ usd: '7' });
    const { status, body } = await ask<AccountDetail>('GET', `/accounts/${customer.accountId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: customer.accountId,
      balance: '7',
      limits: noLimits.rateLimits,
      wallet: { available: '7', reserved: '0' },
      users: [{ id: customer.userId, email: customer.email, role: 'customer', emailVerified: false }],
      transactions: [{ amount: 7, type: 'payment' }],
    });
    expect(body.keys.map(({ kind, prefix }) => [kind, prefix])).toEqual([
      ['proxy', customer.proxyKey.slice(0, 11)],
      ['billing', customer.billingKey.slice(0, 11)],
    ]);
    expect(JSON.stringify(body)).not.toMatch(/hash|argon/i);
  });

  test('returns 404 for an unknown account and 400 for an invalid id', async () => {
    expect((await ask('GET', '/accounts/999999999')).error?.code).toBe('not_found');
    expect((await ask('GET', '/accounts/x')).error?.code).toBe('invalid_parameter');
  });
});

describe("the list of an account's charges", () => {
  test('is what its customer sees, and has nothing of other accounts', async () => {
    const [customer, other] = [await harness.createCustomer({ usd: '3' }), await harness.createCustomer({ usd: '4' })];
    const charges = [chargeOf(customer.accountId), chargeOf(customer.accountId), chargeOf(other.accountId)];
    await applyCharges(harness.database.sql, charges);
    const token = await logIn(api, customer.email, testPassword);
    for (const list of ['requests?limit=1', 'requests', 'transactions?type=payment', 'transactions']) {
      const mine = await api.call('GET', `/api/${list}`, { token });
      const theirs = await ask('GET', `/accounts/${customer.accountId}/${list}`);
      expect({ list, status: theirs.status, body: theirs.body }).toEqual({ list, status: 200, body: mine.body });
    }
  });

  test.each(['requests', 'transactions'])(
    'returns 404 for %s of an unknown account, and 403 for a customer',
    async (list) => {
      expect((await ask('GET', `/accounts/999999999/${list}`)).error?.code).toBe('not_found');
      const customer = await harness.createCustomer({ usd: '0' });
      const token = await logIn(api, customer.email, testPassword);
      const path = `/api/operator/accounts/${customer.accountId}/${list}`;
      expect((await api.call('GET', path, { token })).error?.code).toBe('access_denied');
    },
  );
});

describe('blocking an account', () => {
  const block = (accountId: number, reason = 'abuse') =>
    ask<AccountDetail>('POST', `/accounts/${accountId}/block`, { reason });
  const unblock = (accountId: number, reason = 'sorry') =>
    ask<AccountDetail>('POST', `/accounts/${accountId}/unblock`, { reason });

  test('revokes all access immediately, and unblocking restores it', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    const token = await logIn(api, customer.email, testPassword);
    expect((await publishedKey(customer)).active).toBe('1');

    const blocked = await block(customer.accountId);
    expect({ status: blocked.status, blockedAt: blocked.body.blockedAt }).toEqual({
      status: 200,
      blockedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    // The customer's own settings are unchanged.
    expect(blocked.body.keys.every(({ active }) => active)).toBe(true);
    expect((await publishedKey(customer)).active).toBe('0');
    expect((await api.call('GET', '/api/profile', { token })).error?.code).toBe('invalid_token');
    const login = { body: { email: customer.email, password: testPassword } };
    const refused = await api.call('POST', '/api/auth/login', login);
    expect({ status: refused.status, code: refused.error?.code }).toEqual({ status: 403, code: 'account_blocked' });
    const billing = await api.call('GET', '/api/keys', { token: customer.billingKey });
    expect({ status: billing.status, code: billing.error?.code }).toEqual({ status: 403, code: 'account_blocked' });
    expect((await ask<AccountList>('GET', '/accounts?blocked=true')).body.accounts.map(({ id }) => id)).toEqual([
      customer.accountId,
    ]);

    expect((await unblock(customer.accountId)).body.blockedAt).toBeNull();
    expect((await publishedKey(customer)).active).toBe('1');
    expect((await api.call('POST', '/api/auth/login', login)).status).toBe(200);
    expect((await api.call('GET', '/api/keys', { token: customer.billingKey })).status).toBe(200);
  });

  test('is not disclosed to callers without the password', async () => {
    const customer = await harness.createCustomer({ usd: '0' });
    await block(customer.accountId);
    const login = { body: { email: customer.email, password: goodPassword } };
    expect((await api.call('POST', '/api/auth/login', login)).error?.code).toBe('invalid_credentials');
  });

  test('ends refresh tokens', async () => {
    const user = await register(api);
    const [row] = await harness.database.sql`SELECT account_id FROM users WHERE id = ${user.id}`;
    await block(Number(row?.account_id));
    await unblock(Number(row?.account_id));
    const { status } = await api.call('POST', '/api/auth/refresh', { body: { refreshToken: user.refreshToken } });
    expect(status).toBe(401);
  });

  test('also blocks a key that is created during the block', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    const bodies = Array.from({ length: 5 }, (_, index) => ({ name: `key ${index}` }));
    const making = bodies.map((body) => api.call('POST', '/api/keys', { token: customer.billingKey, body }));
    await Promise.all([...making, block(customer.accountId)]);
    const rows = await harness.database.sql`
      SELECT hash FROM api_keys WHERE account_id = ${customer.accountId} AND kind = 'proxy'`;
    for (const { hash } of rows) {
      const [name] = await harness.redis.keys(`*:key:${hash}`);
      expect(name && (await harness.redis.hget(name, 'active'))).toBe('0');
    }
  });

  test('changes nothing and adds no audit entry when repeated', async () => {
    const { accountId } = await harness.createCustomer({ usd: '0' });
    const first = await block(accountId);
    const again = await block(accountId);
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body });
    expect((await auditOf(accountId)).length).toBe(1);
  });

  test('writes an audit entry with who, from where, why, before and after', async () => {
    const { accountId } = await harness.createCustomer({ usd: '0' });
    const path = `/api/operator/accounts/${accountId}/block`;
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const response = await api.call<AccountDetail>('POST', path, {
      token: operator.token,
      headers,
      body: { reason: ' chargeback ' },
    });
    expect(await auditOf(accountId)).toEqual([
      {
        id: expect.any(Number),
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        actor: operator.email,
        userId: operator.userId,
        address: '203.0.113.7',
        requestId: response.headers.get('x-request-id'),
        action: 'account.block',
        subject: `account ${accountId}`,
        accountId,
        reason: 'chargeback',
        before: { blockedAt: null },
        after: { blockedAt: response.body.blockedAt },
      },
    ]);
  });

  test('returns 403 for the operator’s own account', async () => {
    const { status, error } = await block(operator.accountId);
    expect({ status, code: error?.code }).toEqual({ status: 403, code: 'access_denied' });
    expect((await ask('GET', '/lag')).status).toBe(200);
  });

  test.each([
    [{}, 'reason'],
    [{ reason: '' }, 'reason'],
    [{ reason: '  ' }, 'reason'],
    [{ reason: 'x', all: 1 }, 'all'],
  ])('returns 400 for %j', async (body, param) => {
    const { accountId } = await harness.createCustomer({ usd: '0' });
    const response = await ask('POST', `/accounts/${accountId}/block`, body);
    expect({ status: response.status, param: response.error?.param }).toEqual({ status: 400, param });
  });

  test('returns 404 for an unknown account', async () => {
    expect((await block(999_999_999)).status).toBe(404);
  });
});

describe('PUT /accounts/{id}/limits', () => {
  const limit = (accountId: number, body: object) => ask<AccountDetail>('PUT', `/accounts/${accountId}/limits`, body);

  test('is effective in Redis when it is confirmed, and leaves absent limits unchanged', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    const before = (await publishedKey(customer)).limits;
    const first = await limit(customer.accountId, { requestsPerMinute: 7, concurrentStreams: 0, reason: 'test' });
    expect(first.status).toBe(200);
    expect(first.body.limits).toEqual({ ...noLimits.rateLimits, requestsPerMinute: 7, concurrentStreams: 0 });
    expect((await publishedKey(customer)).limits).not.toBe(before);
    const second = await limit(customer.accountId, { requestsPerMinute: null, tokensPerMinute: 100 });
    expect(second.body.limits).toEqual({ ...noLimits.rateLimits, tokensPerMinute: 100, concurrentStreams: 0 });
    const [entry, older] = await auditOf(customer.accountId);
    expect(entry).toMatchObject({ action: 'account.limits', reason: null, before: older?.after });
    expect(older).toMatchObject({ reason: 'test', after: first.body.limits });
  });

  test.each([
    [{}, 'requestsPerMinute'],
    [{ reason: 'x' }, 'requestsPerMinute'],
    [{ requestsPerMinute: -1 }, 'requestsPerMinute'],
    [{ tokensPerMinute: 1.5 }, 'tokensPerMinute'],
    [{ concurrentStreams: '1' }, 'concurrentStreams'],
    [{ balance: 1 }, 'balance'],
  ])('returns 400 for %j', async (body, param) => {
    const response = await limit(operator.accountId, body);
    expect({ status: response.status, param: response.error?.param }).toEqual({ status: 400, param });
  });
});
