/** A key that is requested twice is created once, and only its sender can read the stored response. */
import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { CreatedKey, KeyList } from '../response-types.ts';
import { type Api, logIn, startApi } from '../start-api.ts';

let harness: Harness;
let api: Api;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
});
afterEach(() => {
  setSystemTime();
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const byPassword = (customer: Customer) => logIn(api, customer.email, testPassword);
const places = [
  { path: '/api/keys', tokenOf: async (customer: Customer) => customer.billingKey },
  { path: '/api/proxy-keys', tokenOf: byPassword },
  { path: '/api/billing-keys', tokenOf: byPassword },
];

describe.each(places)('POST $path', ({ path, tokenOf }) => {
  let customer: Customer;
  let token: string;
  beforeAll(async () => {
    customer = await harness.createCustomer({ usd: '1' });
    token = await tokenOf(customer);
  });
  const create = (key: string, body: object = { name: 'x' }, as = token) =>
    api.call<CreatedKey>('POST', path, { token: as, body, headers: { 'idempotency-key': key } });
  const countKeys = async () => (await api.call<KeyList>('GET', path, { token })).body.keys.length;

  test('returns the same 201 for the same Idempotency-Key, and creates one row', async () => {
    const before = await countKeys();
    const key = crypto.randomUUID();
    const first = await create(key);
    const again = await create(key);
    expect(first.status).toBe(201);
    expect({ status: again.status, body: again.body }).toEqual({ status: 201, body: first.body });
    expect(await countKeys()).toBe(before + 1);
  });

  test('creates one key for many concurrent requests, and the others get its response or a 409', async () => {
    const before = await countKeys();
    const key = crypto.randomUUID();
    const responses = await Promise.all(Array.from({ length: 10 }, () => create(key)));
    const made = responses.filter(({ status }) => status === 201);
    const waiting = responses.filter(({ status }) => status === 409);
    expect(made.length + waiting.length).toBe(10);
    expect(new Set(made.map(({ body }) => body.key)).size).toBe(1);
    for (const { error, headers } of waiting) {
      expect(error?.code).toBe('idempotency_in_progress');
      expect(headers.get('retry-after')).toBe('1');
    }
    expect(await countKeys()).toBe(before + 1);
  });

  test('returns 422 for the same Idempotency-Key with another body', async () => {
    const key = crypto.randomUUID();
    await create(key);
    const { status, error } = await create(key, { name: 'y' });
    expect(status).toBe(422);
    expect(error).toMatchObject({ code: 'idempotency_key_reused', param: 'Idempotency-Key' });
  });

  test('replays the response after the key has expired or was deleted', async () => {
    const key = crypto.randomUUID();
    const body = { name: 'x', expires_at: new Date(Date.now() + 60_000).toISOString() };
    const first = await create(key, body);
    expect(first.status).toBe(201);
    await api.call('DELETE', `${path}/${first.body.id}`, { token });
    setSystemTime(new Date(Date.now() + 120_000));
    expect((await create(key, body)).body).toEqual(first.body);
    expect((await create(crypto.randomUUID(), body)).status).toBe(400);
  });

  test("creates another customer's own key for the same Idempotency-Key", async () => {
    const key = crypto.randomUUID();
    const other = await tokenOf(await harness.createCustomer({ usd: '1' }));
    const [mine, theirs] = [await create(key), await create(key, { name: 'x' }, other)];
    expect(theirs.status).toBe(201);
    expect(theirs.body.key).not.toBe(mine.body.key);
  });

  test('does not store an error, so the same Idempotency-Key works after a correction', async () => {
    const key = crypto.randomUUID();
    expect((await create(key, { name: 'x', expires_at: '2020-01-01T00:00:00Z' })).status).toBe(400);
    expect((await create(key)).status).toBe(201);
  });

  test.each(['a b', 'x'.repeat(256)])('returns 400 for the Idempotency-Key %p', async (key) => {
    const { status, error } = await create(key);
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_parameter', param: 'Idempotency-Key' });
  });
});
