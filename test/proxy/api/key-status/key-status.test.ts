/** GET /v1/key and /v1/credits through the real programs: what the holder of a proxy key can see. */
import { afterAll, describe, expect, test } from 'bun:test';
import OpenAI from 'openai';
import { statusNames } from '../../../../proxy/api/key-status/key-status.ts';
import { hashKey } from '../../../../shared/keys/api-key.ts';
import { rateLimits } from '../../../../shared/limits/rate-limits.ts';
import { spendLimits } from '../../../../shared/limits/spend-limits.ts';
import { recordOf } from '../../../../shared/members.ts';
import { parseUsd } from '../../../../shared/money.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { Wallet } from '../../../../shared/wallet/wallet.ts';
import { guardTimeoutMs, readLedger, waitFor } from '../../../harness/account-view.ts';
import { chat } from '../../../harness/clients/chat.ts';
import type { Customer } from '../../../harness/customers.ts';
import { startGateway } from '../../../harness/gateway.ts';
import { wholeResponse } from '../../../harness/providers/scripted-provider.ts';
import { readIdentity } from '../../../harness/wallet/shard-state.ts';
import { reserveRequestOf } from '../../../harness/wallet/wallet-bench.ts';

const { harness, provider, proxy, admin, stop } = await startGateway();
/** 24,000 nano-dollars. */
provider.on('upstream-chat', wholeResponse({ usage: { promptTokens: 10, completionTokens: 10 } }));

afterAll(stop);

interface KeyStatus {
  readonly data: Readonly<Record<string, unknown>>;
}

const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${proxy.url}/v1`, apiKey, maxRetries: 0 });
const ask = async (path: string, key: string) => (await clientOf(key).get<KeyStatus>(path)).data;
/** If Redis does not have the data yet, admin loads it from the ledger. */
const onceKnown = (path: string, key: string) =>
  waitFor(`an answer to ${path}`, guardTimeoutMs, () => ask(path, key).catch(() => undefined));
const textOf = async (path: string, key: string) =>
  (await fetch(`${proxy.url}/v1${path}`, { headers: { authorization: `Bearer ${key}` } })).text();

async function newKey(customer: Customer, body: object): Promise<string> {
  const response = await fetch(`${admin.url}/api/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.billingKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  const { key } = (await response.json()) as { key: string };
  return key;
}

/** Holds an amount, as a running request of the key would. */
async function hold({ accountId }: Customer, key: string, usd: string): Promise<() => Promise<void>> {
  const shard = shardOfAccount(accountId);
  const identity = await readIdentity(harness.redis, shard);
  const account = { accountId, shard, keyHash: hashKey(key, harness.keyPepper), identity };
  const request = reserveRequestOf(account, { models: ['test/chat'], amountNano: parseUsd(usd) });
  const wallet = new Wallet(harness.redis);
  expect(await wallet.reserve(request)).toMatchObject({ ok: true });
  return () => wallet.release(request);
}

describe('the balance', () => {
  test('is exact to the digit, with the amount held by requests in flight separately', async () => {
    const customer = await harness.createCustomer({ usd: '8999999.123456789' });
    const release = await hold(customer, customer.proxyKey, '0.000000001');
    expect(await textOf('/credits', customer.proxyKey)).toBe(
      '{"data":{"available":8999999.123456788,"reserved":0.000000001,' +
        '"total_credits":8999999.123456789,"total_usage":0}}',
    );
    await release();
    expect(await ask('/credits', customer.proxyKey)).toMatchObject({ available: 8_999_999.123456789, reserved: 0 });
  });

  test('follows spending, and adds up', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    await (await chat(proxy, customer.proxyKey, { model: 'test/chat' })).text();
    const atRest = await waitFor('the charge, and the return of the lease', guardTimeoutMs, async () => {
      const credits = await ask('/credits', customer.proxyKey);
      return credits.total_usage === 0.000024 && credits.reserved === 0 && credits;
    });
    expect(atRest).toEqual({
      available: 0.999976,
      reserved: 0,
      total_credits: 1,
      total_usage: 0.000024,
    });
  });

  test('a balance of zero is reported', async () => {
    const { proxyKey } = await harness.createCustomer({ usd: '0' });
    expect(await onceKnown('/credits', proxyKey)).toEqual({
      available: 0,
      reserved: 0,
      total_credits: 0,
      total_usage: 0,
    });
  });

  test('is loaded from the ledger if Redis does not have it', async () => {
    const customer = await harness.createCustomer({ usd: '2' });
    await ask('/credits', customer.proxyKey);
    await harness.redis.del(`{s${shardOfAccount(customer.accountId)}}:wallet:${customer.accountId}`);
    expect(await onceKnown('/credits', customer.proxyKey)).toMatchObject({ available: 2 });
  });
});

describe('a key', () => {
  const defaults = recordOf(rateLimits, ({ statusName, fallback }) => [statusName, fallback || null]);
  const names = spendLimits.map(statusNames);
  const noLimits = Object.fromEntries(
    names.flatMap(({ limit, remaining }) => [limit, remaining].map((name) => [name, null])),
  );
  const perUsage = (usd: number) => ({ usage: usd, ...Object.fromEntries(names.map(({ usage }) => [usage, usd])) });
  const expiresAt = '2035-01-01T00:00:00.000Z';
  const limits = {
    allowedModels: ['test/chat', 'test/failover'],
    spendLimits: { day: 0.01, total: 5 },
    rateLimits: { requestsPerMinute: 70, concurrentStreams: 3 },
  };

  test('a key with limits returns what it may do, what it has spent, and immediately what is left', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    const key = await newKey(customer, { name: 'limited', expires_at: expiresAt, limits });
    const fresh = {
      label: key.slice(0, 11),
      ...noLimits,
      limit: 5,
      limit_remaining: 5,
      limit_daily: 0.01,
      limit_daily_remaining: 0.01,
      ...perUsage(0),
      rate_limit: { ...defaults, requests: 70, concurrent_requests: 3, interval: '1m' },
      cache_seconds: null,
      allowed_models: limits.allowedModels,
      expires_at: expiresAt,
    };
    expect(await onceKnown('/key', key)).toEqual(fresh);

    await (await chat(proxy, key, { model: 'test/chat', max_tokens: 50 })).text();
    const spent = perUsage(0.000024);
    await waitFor('the charge', guardTimeoutMs, async () => (await ask('/key', key)).usage === spent.usage);
    expect(await ask('/key', key)).toEqual({
      ...fresh,
      ...spent,
      limit_remaining: 4.999976,
      limit_daily_remaining: 0.009976,
    });

    const release = await hold(customer, key, '0.009');
    expect(await ask('/key', key)).toMatchObject({ ...spent, limit_daily_remaining: 0.000976 });
    await release();
  });

  test('a key without limits returns its own spending, from the ledger', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    const other = await newKey(customer, { name: 'other' });
    await Promise.all([1, 2].map(async () => (await chat(proxy, customer.proxyKey, { model: 'test/chat' })).text()));
    await waitFor('the charges', guardTimeoutMs, async () => {
      return (await readLedger(harness, customer.accountId)).spentNano === 48_000n;
    });
    expect(await onceKnown('/key', customer.proxyKey)).toMatchObject({
      ...noLimits,
      ...perUsage(0.000048),
      rate_limit: { ...defaults, requests: 6_000, tokens: 20_000_000, concurrent_requests: 1_000, interval: '1m' },
      cache_seconds: null,
      allowed_models: null,
      expires_at: null,
    });
    expect(await onceKnown('/key', other)).toMatchObject({ ...noLimits, ...perUsage(0) });

    // The cached value expires soon, and the next request reads the ledger again.
    const shown = `{s${shardOfAccount(customer.accountId)}}:spent:${customer.proxyKeyId}`;
    expect(await harness.redis.ttl(shown)).toBeWithin(0, 6);
    await (await chat(proxy, customer.proxyKey, { model: 'test/chat' })).text();
    await waitFor('the third charge', 2 * guardTimeoutMs, async () => {
      return (await onceKnown('/key', customer.proxyKey)).usage === 0.000072;
    });
    // A limit that is set later starts from the ledger, not from the cached value.
    expect(await harness.redis.exists(`{s${shardOfAccount(customer.accountId)}}:spend:${customer.proxyKeyId}`)).toBe(0);
  });
});

describe('a key status request', () => {
  const codeOf = (path: string, headers: Record<string, string>) =>
    fetch(`${proxy.url}/v1${path}`, { headers }).then(async (response) => {
      const { error } = (await response.json()) as { error: { code: string } };
      return [response.status, error.code];
    });

  test.each(['/key', '/credits'])('is refused without a valid key: %s', async (path) => {
    const customer = await harness.createCustomer({ usd: '1' });
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    expect(await codeOf(path, {})).toEqual([401, 'missing_api_key']);
    expect(await codeOf(path, bearer('ms-none'))).toEqual([401, 'invalid_api_key']);
    expect(await codeOf(path, bearer(customer.billingKey))).toEqual([403, 'wrong_key_type']);
    const expired = await harness.createExpiredKey(customer.accountId);
    expect(await codeOf(path, bearer(expired))).toEqual([401, 'key_expired']);
    expect(await codeOf(path, { 'x-api-key': expired })).toEqual([401, 'key_expired']);
  });

  test.each(['/key', '/credits'])('is refused with another method: %s', async (path) => {
    const response = await fetch(`${proxy.url}/v1${path}`, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
  });
});
