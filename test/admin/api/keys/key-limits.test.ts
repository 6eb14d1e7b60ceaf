/**
 * Limits of proxy keys are parsed exactly, changed one by one, and effective in the proxy when the caller gets the
 * response.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { keysOfAccountMax } from '../../../../admin/keys/create-key.ts';
import { applyCharges } from '../../../../admin/ledger/charges/apply-charges.ts';
import { hashKey } from '../../../../shared/keys/api-key.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { noLimits } from '../../../harness/no-limits.ts';
import { testCatalogue } from '../../../harness/providers/test-catalogue.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { chargeOf } from '../../ledger/ledger.ts';
import type { CreatedKey, KeyList, ProxyKey } from '../response-types.ts';
import { type Api, type CallOptions, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let customer: Customer;
let accessToken: string;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  await harness.applyCatalogue(testCatalogue('http://127.0.0.1:1/v1'));
  customer = await harness.createCustomer({ usd: '1' });
  accessToken = await logIn(api, customer.email, testPassword);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

describe.each(['/api/keys', '/api/proxy-keys'])('%s', (path) => {
  const call = <Body>(method: string, suffix = '', options: CallOptions = {}) => {
    const token = path === '/api/keys' ? customer.billingKey : accessToken;
    return api.call<Body>(method, `${path}${suffix}`, { token, ...options });
  };
  const create = (limits: unknown) => call<CreatedKey>('POST', '', { body: { name: 'x', limits } });
  const change = (id: number, limits: unknown) => call<ProxyKey>('PUT', `/${id}`, { body: { limits } });
  const limitsOf = async (id: number) => {
    const { body } = await call<KeyList>('GET');
    return body.keys.find((key) => key.id === id)?.limits;
  };

  test('sets limits when the key is created, and returns them', async () => {
    const limits = {
      allowedModels: ['test/chat', 'test/failover'],
      spendLimits: { day: 0.1, month: '12.000000001', total: 0 },
      rateLimits: { requestsPerMinute: 60, tokensPerMinute: 100_000, concurrentStreams: 1 },
    };
    const { status, body } = await create(limits);
    expect(status).toBe(201);
    const spendLimits = {
      ...{ day: 0.1, dayUsd: '0.1' },
      ...{ month: 12.000000001, monthUsd: '12.000000001' },
      ...{ total: 0, totalUsd: '0' },
    };
    expect(await limitsOf(body.id)).toEqual({
      ...limits,
      spendLimits: { ...noLimits.spendLimits, ...spendLimits },
      rateLimits: { ...noLimits.rateLimits, ...limits.rateLimits },
    });
    const [row] = await harness.database.sql`
      SELECT spend_limit_day_nano AS day, spend_limit_month_nano AS month FROM api_keys WHERE id = ${body.id}`;
    expect(row).toMatchObject({ day: '100000000', month: '12000000001' });
  });

  test('changes limits one by one: absent ones stay, null removes', async () => {
    const { body } = await create(undefined);
    expect(await limitsOf(body.id)).toEqual(noLimits);
    const steps: [object, object][] = [
      [{ spendLimits: { day: 1 } }, { spendLimits: { ...noLimits.spendLimits, day: 1, dayUsd: '1' } }],
      [{ spendLimits: { month: '2' } }, { spendLimits: { day: 1, month: 2, total: null } }],
      [{ spendLimits: { day: null } }, { spendLimits: { day: null, month: 2, total: null } }],
      [{ allowedModels: ['test/chat'] }, { allowedModels: ['test/chat'] }],
      [{ allowedModels: null, spendLimits: { month: null } }, noLimits],
      [{ rateLimits: { concurrentStreams: 3 } }, { rateLimits: { ...noLimits.rateLimits, concurrentStreams: 3 } }],
      [{}, { rateLimits: { ...noLimits.rateLimits, concurrentStreams: 3 } }],
    ];
    for (const [sent, expected] of steps) {
      const response = await change(body.id, sent);
      expect(response.status).toBe(200);
      expect(response.body.limits).toMatchObject(expected);
    }
  });

  test('makes a change effective in the proxy before it is confirmed', async () => {
    const { body } = await create({ allowedModels: ['test/chat'] });
    const name = `{s${shardOfAccount(customer.accountId)}}:key:${hashKey(body.key, harness.keyPepper)}`;
    const published = () => harness.redis.hgetall(name);
    const before = await published();
    await change(body.id, { spendLimits: { day: 1 }, rateLimits: { requestsPerMinute: 7 } });
    const after = await published();
    expect(after.models).toBe(before.models);
    expect(after.models).toContain('test/chat');
    // MessagePack: a name and its value; 7 is one byte.
    expect(after.limits).toContain('spendDay');
    expect(after.limits).toContain('keyRequests\u0007');
    await change(body.id, { ...noLimits });
    expect(await published()).toMatchObject({ limits: '', models: '' });
  });

  const wrong: [string, unknown][] = [
    ['limits', null],
    ['limits', 'x'],
    ['limits', []],
    ['limits.budget', { budget: 5 }],
    ['limits.allowedModels', { allowedModels: [] }],
    ['limits.allowedModels', { allowedModels: 'test/chat' }],
    ['limits.allowedModels', { allowedModels: ['test/chat', 'test/chat'] }],
    ['limits.allowedModels', { allowedModels: [5] }],
    ['limits.allowedModels', { allowedModels: Array.from({ length: 101 }, (_, index) => `m${index}`) }],
    ['limits.allowedModels[1]', { allowedModels: ['test/chat', 'test/caht'] }],
    ['limits.spendLimits', { spendLimits: null }],
    ['limits.spendLimits', { spendLimits: 5 }],
    ['limits.spendLimits.year', { spendLimits: { year: 1 } }],
    ['limits.spendLimits.day', { spendLimits: { day: -1 } }],
    ['limits.spendLimits.day', { spendLimits: { day: '-1' } }],
    ['limits.spendLimits.day', { spendLimits: { day: '' } }],
    ['limits.spendLimits.day', { spendLimits: { day: '1e3' } }],
    ['limits.spendLimits.day', { spendLimits: { day: '1,5' } }],
    ['limits.spendLimits.day', { spendLimits: { day: '0.0000000001' } }],
    ['limits.spendLimits.day', { spendLimits: { day: 0.000_000_000_1 } }],
    ['limits.spendLimits.day', { spendLimits: { day: 1e21 } }],
    ['limits.spendLimits.day', { spendLimits: { day: 9_000_001 } }],
    ['limits.spendLimits.total', { spendLimits: { total: true } }],
    ['limits.spendLimits.total', { spendLimits: { total: [1] } }],
    ['limits.rateLimits.requestsPerMinute', { rateLimits: { requestsPerMinute: 0 } }],
    ['limits.rateLimits.requestsPerMinute', { rateLimits: { requestsPerMinute: 1.5 } }],
    ['limits.rateLimits.requestsPerMinute', { rateLimits: { requestsPerMinute: '60' } }],
    ['limits.rateLimits.tokensPerMinute', { rateLimits: { tokensPerMinute: 1e12 } }],
    ['limits.rateLimits.concurrentStreams', { rateLimits: { concurrentStreams: -1 } }],
    ['limits.rateLimits.day', { rateLimits: { day: 1 } }],
  ];
  test.each(wrong)('returns 400 that names %s for %j', async (param, limits) => {
    const { body } = await create(undefined);
    for (const response of [await create(limits), await change(body.id, limits)]) {
      expect(response.status).toBe(400);
      expect(response.error).toMatchObject({ code: 'invalid_parameter', param });
    }
    expect(await limitsOf(body.id)).toEqual(noLimits);
  });

  test('names every unknown model', async () => {
    const { error } = await create({ allowedModels: ['a', 'test/chat', 'b'] });
    expect(error?.errors?.map(({ param }) => param)).toEqual(['limits.allowedModels[0]', 'limits.allowedModels[2]']);
  });

  test('keeps the smallest amount exact, as a number and as a string', async () => {
    for (const amount of [0.000_000_001, '0.000000001']) {
      const { body } = await create({ spendLimits: { total: amount } });
      const [row] = await harness.database
        .sql`SELECT spend_limit_total_nano AS total FROM api_keys WHERE id = ${body.id}`;
      expect(row?.total).toBe('1');
    }
  });
});

test('billing keys have no limits, because they spend nothing', async () => {
  const body = { name: 'x', limits: {} };
  const response = await api.call('POST', '/api/billing-keys', { token: accessToken, body });
  expect(response.status).toBe(400);
  expect(response.error?.param).toBe('limits');
});

describe('the spending of a key', () => {
  const day = 24 * 3600 * 1000;
  const list = async (owner: Customer) =>
    (await api.call<KeyList>('GET', '/api/keys', { token: owner.billingKey })).body.keys;

  test('is the sum of its charges of 30 days, with estimates replaced by final charges', async () => {
    const owner = await harness.createCustomer({ usd: '5' });
    const now = Date.now();
    const charge = (ageDays: number, costNano: bigint, change = {}) =>
      chargeOf(owner.accountId, {
        keyId: owner.proxyKeyId,
        costNano,
        chargedAt: new Date(now - ageDays * day),
        ...change,
      });
    const newest = charge(0, 3_000_000_000n);
    const { requestId } = newest;
    await applyCharges(harness.database.sql, [charge(0, 1_000_000_000n, { requestId, rank: 1 }), newest]);
    await applyCharges(harness.database.sql, [charge(29, 500_000_001n), charge(31, 7n)]);
    const [key] = await list(owner);
    expect(key).toMatchObject({
      spend30d: 3.500000001,
      spend30dUsd: '3.500000001',
      lastUsedAt: newest.chargedAt.toISOString(),
    });
  });

  test('is 0 for a key unused for long, which still shows when it was last used', async () => {
    const owner = await harness.createCustomer({ usd: '5' });
    const chargedAt = new Date(Date.now() - 40 * day);
    await applyCharges(harness.database.sql, [chargeOf(owner.accountId, { keyId: owner.proxyKeyId, chargedAt })]);
    expect((await list(owner))[0]).toMatchObject({ spend30d: 0, lastUsedAt: chargedAt.toISOString() });
  });
});

describe('the number of keys', () => {
  test('is limited, including expired and deactivated ones, and deleting one makes room', async () => {
    const owner = await harness.createCustomer({ usd: '1' });
    const token = owner.billingKey;
    const create = () => api.call('POST', '/api/keys', { token, body: { name: 'x' } });
    await harness.database.sql`
      INSERT INTO api_keys (account_id, kind, name, prefix, hash, active, expires_at)
      SELECT ${owner.accountId}, 'proxy', 'x', 'ms-', gen_random_uuid()::text, n % 2 = 0, now()
      FROM generate_series(1, ${keysOfAccountMax - 5}) AS n`;
    const responses = await Promise.all(Array.from({ length: 8 }, create));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 422, 422, 422, 422, 422]);
    const refused = responses.find(({ status }) => status === 422);
    expect(refused?.error).toMatchObject({ type: 'invalid_request_error', code: 'too_many_keys' });
    expect(refused?.error?.message).toContain('1000');
    await api.call('DELETE', `/api/keys/${owner.proxyKeyId}`, { token });
    expect((await create()).status).toBe(201);
  });
});
