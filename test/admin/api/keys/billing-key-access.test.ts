/** Who may manage keys at /api/keys: only the holder of a valid billing key. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { generateKey } from '../../../../shared/keys/api-key.ts';
import { allShards } from '../../../../shared/wallet/shard.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { CreatedKey } from '../response-types.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
let customer: Customer;
let accessToken: string;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  customer = await harness.createCustomer({ usd: '1' });
  accessToken = await logIn(api, customer.email, testPassword);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const endpoints = [
  ['GET', '/api/keys'],
  ['POST', '/api/keys'],
  ['PUT', '/api/keys/1'],
  ['DELETE', '/api/keys/1'],
] as const;

async function expectEverywhere(token: string | undefined, expected: { status: number; code: string }) {
  for (const [method, path] of endpoints) {
    const response = await api.call(method, path, token === undefined ? {} : { token });
    expect({ status: response.status, code: response.error?.code }).toEqual(expected);
    expect(response.headers.get('www-authenticate')).toBe(expected.status === 401 ? 'Bearer' : null);
  }
}

async function newBillingKey(expiresAt?: string): Promise<CreatedKey> {
  const { body } = await api.call<CreatedKey>('POST', '/api/billing-keys', {
    token: accessToken,
    body: { name: 'x', ...(expiresAt !== undefined && { expires_at: expiresAt }) },
  });
  return body;
}

test('a request without a header is refused with 401 missing_api_key', () =>
  expectEverywhere(undefined, { status: 401, code: 'missing_api_key' }));

test('another authorization scheme is refused with 401 missing_api_key', async () => {
  const headers = { authorization: `Basic ${btoa(`x:${customer.billingKey}`)}` };
  const { status, error } = await api.call('GET', '/api/keys', { headers });
  expect(status).toBe(401);
  expect(error?.code).toBe('missing_api_key');
});

test('a malformed key is refused with 401 invalid_api_key', () =>
  expectEverywhere('nonsense', { status: 401, code: 'invalid_api_key' }));

test('a key with a wrong checksum is refused with 401 invalid_api_key', () =>
  expectEverywhere(`${customer.billingKey.slice(0, -1)}_`, { status: 401, code: 'invalid_api_key' }));

test('a well-formed key that does not exist is refused with 401 invalid_api_key', async () => {
  const [shard] = allShards;
  if (shard === undefined) throw new Error('no shard');
  await expectEverywhere(generateKey('billing', shard), { status: 401, code: 'invalid_api_key' });
  await expectEverywhere(generateKey('proxy', shard), { status: 401, code: 'invalid_api_key' });
});

test('an access token is refused with 401 invalid_api_key', () =>
  expectEverywhere(accessToken, { status: 401, code: 'invalid_api_key' }));

test('a proxy key is refused with 403 wrong_key_type', () =>
  expectEverywhere(customer.proxyKey, { status: 403, code: 'wrong_key_type' }));

test('a deleted billing key is refused immediately with 401 invalid_api_key', async () => {
  const { id, key } = await newBillingKey();
  expect((await api.call('GET', '/api/keys', { token: key })).status).toBe(200);
  await api.call('DELETE', `/api/billing-keys/${id}`, { token: accessToken });
  await expectEverywhere(key, { status: 401, code: 'invalid_api_key' });
});

test('a billing key gets 403 key_deactivated immediately after deactivation, and 200 after reactivation', async () => {
  const { id, key } = await newBillingKey();
  await api.call('PUT', `/api/billing-keys/${id}`, { token: accessToken, body: { active: false } });
  await expectEverywhere(key, { status: 403, code: 'key_deactivated' });
  await api.call('PUT', `/api/billing-keys/${id}`, { token: accessToken, body: { active: true } });
  expect((await api.call('GET', '/api/keys', { token: key })).status).toBe(200);
});

test('an expired billing key is refused with 401 key_expired', async () => {
  const { id, key } = await newBillingKey('2100-01-01T00:00:00Z');
  expect((await api.call('GET', '/api/keys', { token: key })).status).toBe(200);
  await harness.database.sql`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = ${id}`;
  await expectEverywhere(key, { status: 401, code: 'key_expired' });
});

test('access is refused before the body is checked', async () => {
  const response = await api.call('POST', '/api/keys', { body: { unknown: true } });
  expect(response.status).toBe(401);
});
