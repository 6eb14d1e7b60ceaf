/** An account that is deleted during a Redis outage is deleted, the response says so honestly, and its keys follow. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { deliverOutbox } from '../../../../admin/wallets/deliver-outbox.ts';
import { testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { Deleted } from '../../api/response-types.ts';
import { type Api, logIn, startApi } from '../../api/start-api.ts';

let harness: Harness;
let api: Api;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness, { environment: { REDIS_URL: 'redis://127.0.0.1:1' } });
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

test('keys that cannot be revoked immediately are revoked by the outbox worker when Redis is back', async () => {
  const customer = await harness.createCustomer({ usd: '0' });
  const token = await logIn(api, customer.email, testPassword);
  const body = { current_password: testPassword };
  const response = await api.call<Deleted>('DELETE', '/api/account', { token, body });
  expect([response.status, response.body.keysRefused]).toEqual([200, false]);
  const [row] = await harness.database.sql`SELECT hash FROM api_keys WHERE id = ${customer.proxyKeyId}`;
  const [name = ''] = await harness.redis.keys(`*:key:${row?.hash}`);
  expect(await harness.redis.hget(name, 'active')).toBe('1');
  // What the worker does four times a second.
  await deliverOutbox({ sql: harness.database.sql, keeper: harness.keeper });
  expect(await harness.redis.hkeys(name)).toEqual(['version']);
});
