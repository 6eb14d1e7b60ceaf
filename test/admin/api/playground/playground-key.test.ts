/** The key of a playground: one for each session, short-lived, limited, not listed, and deleted with the session. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { keysADay } from '../../../../admin/api/playground/playground-route.ts';
import {
  createPlaygroundKey,
  deleteSessionKeys,
  playgroundKeyHours,
  playgroundKeysMax,
} from '../../../../admin/keys/session-keys.ts';
import { deliverOutbox } from '../../../../admin/wallets/deliver-outbox.ts';
import { expirePlaygroundKeys, purgeKeys } from '../../../../admin/workers/purge-expired.ts';
import { guardTimeoutMs, waitFor } from '../../../harness/account-view.ts';
import { testPassword } from '../../../harness/customers.ts';
import { startGateway } from '../../../harness/gateway.ts';
import type { KeyList, PlaygroundKey } from '../response-types.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

const { harness, proxy, stop } = await startGateway();
let api: Api;
beforeAll(async () => {
  api = await startApi(harness);
});
afterAll(async () => {
  await api.stop();
  await stop();
});

const make = async (token: string) => {
  const { status, body } = await api.call<PlaygroundKey>('POST', '/api/playground-key', { token });
  expect(status).toBe(201);
  return body;
};
/** A busy machine may keep Redis from answering in time, which says nothing about the key. */
const statusOf = (key: string) =>
  waitFor('an answer about the key', guardTimeoutMs, async () => {
    const { status } = await fetch(`${proxy.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });
    return status === 503 ? undefined : status;
  });

async function newCustomer() {
  const customer = await harness.createCustomer({ usd: '10' });
  return { ...customer, token: await logIn(api, customer.email, testPassword) };
}

test('a playground key works immediately, expires within a day and has a small spending limit', async () => {
  const { token } = await newCustomer();
  const { key, expiresAt, spendLimit } = await make(token);
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThan(24 * 3_600_000);
  expect(spendLimit).toBe('1');
  const response = await fetch(`${proxy.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } });
  expect(await response.json()).toMatchObject({ data: { limit: 1, expires_at: expiresAt } });
});

test('a playground key is not listed, and cannot be changed or deleted through the API', async () => {
  const { token, billingKey, proxyKeyId } = await newCustomer();
  const { id } = await make(token);
  for (const [path, as] of [
    ['/api/proxy-keys', token],
    ['/api/keys', billingKey],
  ] as const) {
    const { keys } = (await api.call<KeyList>('GET', path, { token: as })).body;
    expect(keys.map((key) => key.id)).toEqual([proxyKeyId]);
    const change = { token: as, body: { expires_at: null } };
    expect((await api.call('PUT', `${path}/${id}`, change)).status).toBe(404);
    expect((await api.call('POST', `${path}/${id}/rotate`, { token: as })).status).toBe(404);
    expect((await api.call('DELETE', `${path}/${id}`, { token: as })).status).toBe(404);
  }
});

test('each session has one playground key, which the next one replaces', async () => {
  const { email, token } = await newCustomer();
  const other = await make(await logIn(api, email, testPassword));
  const first = await make(token);
  const second = await make(token);
  expect([await statusOf(first.key), await statusOf(second.key), await statusOf(other.key)]).toEqual([401, 200, 200]);
});

test.each([
  ['log-out', 'POST', '/api/auth/logout'],
  ['signing out everywhere', 'DELETE', '/api/profile/sessions'],
])('%s deletes the playground key before it responds', async (_, method, path) => {
  const { token } = await newCustomer();
  const { key } = await make(token);
  expect(await statusOf(key)).toBe(200);
  expect((await api.call(method, path, { token })).status).toBe(204);
  expect(await statusOf(key)).toBe(401);
});

test('ending another session deletes its playground key and not the caller’s', async () => {
  const { email, token } = await newCustomer();
  const other = await make(await logIn(api, email, testPassword));
  const own = await make(token);
  expect((await api.call('DELETE', '/api/profile/sessions?keepCurrent=true', { token })).status).toBe(204);
  expect([await statusOf(own.key), await statusOf(other.key)]).toEqual([200, 401]);
});

test('sessions that create playground keys while they end leave none behind', async () => {
  const { sql } = harness.database;
  for (let round = 0; round < 5; round += 1) {
    const { accountId, token } = await newCustomer();
    await Promise.all([
      ...Array.from({ length: 4 }, () => api.call('POST', '/api/playground-key', { token })),
      api.call('POST', '/api/auth/logout', { token }),
    ]);
    const [left] = await sql`
      SELECT count(*) AS n FROM api_keys
      WHERE account_id = ${accountId} AND session_id IS NOT NULL AND deleted_at IS NULL`;
    expect(Number(left?.n)).toBe(0);
  }
});

test('playground keys of forgotten sessions do not take the places of other keys', async () => {
  const { accountId, email, token } = await newCustomer();
  await make(await logIn(api, email, testPassword));
  const { sql } = harness.database;
  await sql`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE account_id = ${accountId} AND session_id IS NOT NULL`;
  await make(token);
  const living = await sql`
    SELECT id FROM api_keys WHERE account_id = ${accountId} AND session_id IS NOT NULL AND deleted_at IS NULL`;
  expect(living).toHaveLength(1);
});

test('an account has at most twenty playground keys, and an ended session makes room', async () => {
  const { accountId, userId, token } = await newCustomer();
  const { db } = harness.database;
  const sessions = Array.from({ length: playgroundKeysMax }, () => crypto.randomUUID());
  for (const sessionId of sessions) {
    await db.transaction((transaction) =>
      createPlaygroundKey(transaction, harness.keyPepper, { accountId, userId, sessionId }),
    );
  }
  const refused = await api.call('POST', '/api/playground-key', { token });
  expect([refused.status, refused.error?.code]).toEqual([422, 'too_many_keys']);
  await db.transaction((transaction) =>
    deleteSessionKeys(transaction, { accountId, sessionIds: sessions.slice(0, 1) }),
  );
  await make(token);
});

test('an account creates at most thirty playground keys a day', async () => {
  const { token } = await newCustomer();
  for (let count = 0; count < keysADay; count += 1) await make(token);
  const refused = await api.call('POST', '/api/playground-key', { token });
  expect([refused.status, refused.error?.code]).toEqual([429, 'too_many_attempts']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('an expired playground key is deleted from Redis, and its row unless the key was used', async () => {
  const { accountId, email, token } = await newCustomer();
  const { sql } = harness.database;
  const [unused, used] = [await make(token), await make(await logIn(api, email, testPassword))];
  await sql`
    INSERT INTO usage_totals (account_id, bucket_15m, key_id, model, requests, cost_nano, last_charged_at)
    VALUES (${accountId}, now(), ${used.id}, 'test/chat', 1, 1, now())`;
  const rows = async () =>
    (
      await sql<{ id: string }[]>`SELECT id FROM api_keys WHERE account_id = ${accountId} AND session_id IS NOT NULL`
    ).map(({ id }) => Number(id));
  await expirePlaygroundKeys(sql, new Date());
  expect([await statusOf(unused.key), await statusOf(used.key)]).toEqual([200, 200]);
  const later = new Date(Date.now() + playgroundKeyHours * 3_600_000 + 1_000);
  expect(await expirePlaygroundKeys(sql, later)).toBeGreaterThanOrEqual(2);
  // Redis is updated before the row may be deleted.
  await purgeKeys(sql, later);
  expect((await rows()).length).toBe(2);
  await deliverOutbox({ sql, keeper: harness.keeper }, accountId);
  expect([await statusOf(unused.key), await statusOf(used.key)]).toEqual([401, 401]);
  await purgeKeys(sql, later);
  expect(await rows()).toEqual([used.id]);
});
