/** A change of a proxy key is effective when it is confirmed, and is delivered later without Redis. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { hashKey } from '../../../../shared/keys/api-key.ts';
import { shardOfAccount } from '../../../../shared/wallet/shard.ts';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { CreatedKey } from '../response-types.ts';
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

/** The published record that the proxy reads. */
function publishedKey(customer: Customer, key: string): Promise<Record<string, string>> {
  const hash = hashKey(key, harness.keyPepper);
  return harness.redis.hgetall(`{s${shardOfAccount(customer.accountId)}}:key:${hash}`);
}

test('creation, deactivation, reactivation and deletion of a key are effective when confirmed', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const token = customer.billingKey;
  const expiry = '2100-01-01T00:00:00Z';
  const { body } = await api.call<CreatedKey>('POST', '/api/keys', {
    token,
    body: { name: 'x', expires_at: expiry },
  });
  const published = await publishedKey(customer, body.key);
  expect(published).toMatchObject({ id: String(body.id), active: '1', expiresAt: String(Date.parse(expiry)) });

  await api.call('PUT', `/api/keys/${body.id}`, { token, body: { active: false } });
  expect((await publishedKey(customer, body.key)).active).toBe('0');
  await api.call('PUT', `/api/keys/${body.id}`, { token, body: { active: true } });
  expect((await publishedKey(customer, body.key)).active).toBe('1');
  await api.call('DELETE', `/api/keys/${body.id}`, { token });
  expect((await publishedKey(customer, body.key)).account).toBeUndefined();
});

test('the last recorded of concurrent changes is the effective one', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const token = customer.billingKey;
  const { body } = await api.call<CreatedKey>('POST', '/api/keys', { token, body: { name: 'x' } });
  const changes = Array.from({ length: 20 }, (_, index) =>
    api.call('PUT', `/api/keys/${body.id}`, { token, body: { active: index % 2 === 0 } }),
  );
  expect((await Promise.all(changes)).every(({ status }) => status === 200)).toBe(true);
  const [row] = await harness.database.sql`SELECT active, version FROM api_keys WHERE id = ${body.id}`;
  const published = await publishedKey(customer, body.key);
  expect(published).toMatchObject({ active: row?.active ? '1' : '0', version: String(row?.version) });
});

test('concurrent changes of many customers do not deadlock', async () => {
  const customers = await Promise.all(Array.from({ length: 24 }, () => harness.createCustomer({ usd: '1' })));
  const responses = await Promise.all(
    customers.map(({ billingKey }) =>
      api.call<CreatedKey>('POST', '/api/keys', { token: billingKey, body: { name: 'x' } }),
    ),
  );
  expect(responses.every(({ status }) => status === 201)).toBe(true);
});

test('without Redis a change is recorded with a 503, and a new key, which is shown only once, with a 201', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const token = customer.billingKey;
  const withoutRedis = await startApi(harness, { environment: { REDIS_URL: 'redis://127.0.0.1:1' } });
  const created = await withoutRedis.call<CreatedKey>('POST', '/api/keys', { token, body: { name: 'x' } });
  const changed = await withoutRedis.call('PUT', `/api/keys/${customer.proxyKeyId}`, {
    token,
    body: { active: false },
  });
  const deleted = await withoutRedis.call('DELETE', `/api/keys/${customer.proxyKeyId}`, { token });
  await withoutRedis.stop();
  expect(created.status).toBe(201);
  expect([changed.status, deleted.status]).toEqual([503, 503]);
  expect(changed.error).toMatchObject({ code: 'wallet_unavailable' });
  expect(changed.headers.get('retry-after')).toBe('5');

  expect(await publishedKey(customer, created.body.key)).toEqual({});
  // Redis is back: the next delivery includes everything that was recorded.
  await api.call('PUT', `/api/keys/${created.body.id}`, { token, body: { name: 'y' } });
  expect((await publishedKey(customer, created.body.key)).active).toBe('1');
  expect((await publishedKey(customer, customer.proxyKey)).account).toBeUndefined();
});

test('a change of a billing key does not need Redis and is effective as soon as it is recorded', async () => {
  const customer = await harness.createCustomer({ usd: '1' });
  const token = await logIn(api, customer.email, testPassword);
  const withoutRedis = await startApi(harness, { environment: { REDIS_URL: 'redis://127.0.0.1:1' } });
  // An entry of the account is waiting for Redis; it must not interfere.
  await withoutRedis.call('POST', '/api/keys', { token: customer.billingKey, body: { name: 'x' } });
  const { body } = await withoutRedis.call<CreatedKey>('POST', '/api/billing-keys', { token, body: { name: 'x' } });
  const path = `/api/billing-keys/${body.id}`;
  const changed = await withoutRedis.call('PUT', path, { token, body: { active: false } });
  const refused = await withoutRedis.call('GET', '/api/keys', { token: body.key });
  const deleted = await withoutRedis.call('DELETE', path, { token });
  await withoutRedis.stop();
  expect([changed.status, refused.status, deleted.status]).toEqual([200, 403, 204]);
});
