/** The life of a key, at the three places where keys are managed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hashKey } from '../../../shared/keys/api-key.ts';
import { shardOfAccount } from '../../../shared/shard.ts';
import { type Customer, testPassword } from '../../harness/customers.ts';
import { type Harness, startHarness } from '../../harness.ts';
import type { CreatedKey, KeyList, RotatedKey } from './answers.ts';
import { type Api, logIn, startApi } from './start-api.ts';

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

interface Place {
  readonly name: string;
  readonly keyBegins: string;
  token(customer: Customer): Promise<string>;
}

const noLimits = {
  allowedModels: null,
  spendLimits: { day: null, dayUsd: null, month: null, monthUsd: null, total: null, totalUsd: null },
  rateLimits: { requestsPerMinute: null, tokensPerMinute: null, concurrentStreams: null },
};

const byPassword = (customer: Customer) => logIn(api, customer.email, testPassword);
const places: Place[] = [
  { name: '/api/keys', keyBegins: 'ms-', token: async (customer) => customer.billingKey },
  { name: '/api/proxy-keys', keyBegins: 'ms-', token: byPassword },
  { name: '/api/billing-keys', keyBegins: 'mk-', token: byPassword },
];

/** What the proxy goes by. */
function publishedKey(customer: Customer, key: string): Promise<Record<string, string>> {
  const hash = hashKey(key, harness.keyPepper);
  return harness.redis.hgetall(`{s${shardOfAccount(customer.accountId)}}:key:${hash}`);
}

describe.each(places)('$name', ({ name: path, keyBegins, token: tokenOf }) => {
  let customer: Customer;
  let token: string;
  beforeAll(async () => {
    customer = await harness.createCustomer({ usd: '1' });
    token = await tokenOf(customer);
  });
  const create = (body: object) => api.call<CreatedKey>('POST', path, { token, body });
  const list = async () => (await api.call<KeyList>('GET', path, { token })).body.keys;

  test('a key lives: 201, listed, renamed, deactivated, reactivated, 204, gone', async () => {
    const created = await create({ name: ' production ' });
    expect(created.status).toBe(201);
    const { id, key } = created.body;
    expect(created.body).toEqual({ id: expect.any(Number), key: expect.stringMatching(new RegExp(`^${keyBegins}`)) });

    const [listed] = await list();
    expect(listed).toEqual({
      id,
      name: 'production',
      prefix: key.slice(0, 11),
      active: true,
      state: 'active',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      expiresAt: null,
      ...(keyBegins === 'ms-' && {
        lastUsedAt: null,
        spend30d: 0,
        spend30dUsd: '0',
        awaitsVerification: false,
        limits: noLimits,
      }),
    });
    const renamed = await api.call('PUT', `${path}/${id}`, { token, body: { name: 'staging' } });
    expect(renamed.status).toBe(200);
    expect(renamed.body).toEqual({ ...listed, name: 'staging' });
    const deactivated = await api.call('PUT', `${path}/${id}`, { token, body: { active: false } });
    expect(deactivated.body).toEqual({ ...listed, name: 'staging', active: false, state: 'inactive' });
    const both = await api.call('PUT', `${path}/${id}`, { token, body: { active: true, name: 'x' } });
    expect(both.body).toEqual({ ...listed, name: 'x', active: true });

    const deleted = await api.call('DELETE', `${path}/${id}`, { token });
    expect(deleted.status).toBe(204);
    expect(deleted.body).toBe('');
    expect((await list()).some((other: { id: number }) => other.id === id)).toBe(false);
    for (const [method, body] of [
      ['PUT', { active: true }],
      ['DELETE', undefined],
    ] as const) {
      const again = await api.call(method, `${path}/${id}`, { token, ...(body && { body }) });
      expect(again.status).toBe(404);
    }
  });

  test('lists show no secret, and only keys of the right kind, newest first', async () => {
    const first = await create({ name: 'first' });
    const second = await create({ name: 'second' });
    const keys = await list();
    expect(keys.slice(0, 2).map(({ id }) => id)).toEqual([second.body.id, first.body.id]);
    expect(keys.every(({ prefix }) => prefix.startsWith(keyBegins) && prefix.length === 11)).toBe(true);
    expect(JSON.stringify(keys)).not.toContain(second.body.key);
  });

  test.each([
    ['2100-01-01', '2100-01-01T00:00:00.000Z'],
    ['2100-01-01T02:00', '2100-01-01T02:00:00.000Z'],
    ['2100-01-01T02:00:00.5', '2100-01-01T02:00:00.500Z'],
    ['2100-01-01T02:00:00Z', '2100-01-01T02:00:00.000Z'],
    ['2100-01-01T02:00:00+02:00', '2100-01-01T00:00:00.000Z'],
    ['2100-01-01T02:00:00-0330', '2100-01-01T05:30:00.000Z'],
    [null, null],
  ])('the expiry %s is %s, at creation and by PUT, under either name', async (written, read) => {
    const { body: created } = await create({ name: 'soon gone', expires_at: written });
    expect((await list())[0]?.expiresAt).toBe(read);
    for (const name of ['expires_at', 'expiresAt']) {
      await api.call('PUT', `${path}/${created.id}`, { token, body: { expires_at: '2099-01-01' } });
      const changed = await api.call('PUT', `${path}/${created.id}`, { token, body: { [name]: written } });
      expect(changed.body).toMatchObject({ expiresAt: read, state: 'active' });
    }
  });

  test('what GET gives, PUT takes; what only the gateway sets is named where it was changed', async () => {
    const { body: created } = await create({ name: 'echo', expires_at: '2100-01-01' });
    const [listed] = await list();
    const put = (body: object) => api.call('PUT', `${path}/${created.id}`, { token, body });
    expect(await put({ ...listed })).toMatchObject({ status: 200, body: listed });
    expect((await put({ ...listed, name: 'changed' })).body).toEqual({ ...listed, name: 'changed' });
    const refused = await put({ ...listed, prefix: 'ms-another', createdAt: '2000-01-01T00:00:00.000Z' });
    expect(refused.status).toBe(400);
    expect(refused.error).toMatchObject({ code: 'invalid_parameter', param: 'prefix' });
    expect(refused.error?.message).toContain("'createdAt' cannot be changed");
  });

  test('an expired key is listed as such, goes through an echo, and lives again with a new expiry', async () => {
    const { body: created } = await create({ name: 'old' });
    await harness.database.sql`UPDATE api_keys SET expires_at = '2020-01-01' WHERE id = ${created.id}`;
    const [listed] = await list();
    expect(listed).toMatchObject({ active: false, state: 'expired', expiresAt: '2020-01-01T00:00:00.000Z' });
    const put = (body: object) => api.call('PUT', `${path}/${created.id}`, { token, body });
    expect((await put({ ...listed })).body).toEqual(listed);
    expect((await put({ ...listed, expiresAt: '2100-01-01' })).body).toMatchObject({ active: true, state: 'active' });
  });

  test('a rotation gives a new key with the same name, and the old one works until its grace is over', async () => {
    const { body: created } = await create({ name: 'rotated', expires_at: '2100-01-01' });
    const rotate = (body?: object) =>
      api.call<RotatedKey>('POST', `${path}/${created.id}/rotate`, { token, ...(body && { body }) });
    const before = Date.now();
    const { status, body } = await rotate({ graceHours: 1.5 });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      key: expect.stringMatching(new RegExp(`^${keyBegins}`)),
      replaces: { id: created.id, expiresAt: expect.any(String) },
    });
    expect(Date.parse(body.replaces.expiresAt) - before).toBeWithin(5_400_000, 5_460_000);
    const [newer, older] = await list();
    expect(newer).toMatchObject({
      id: body.id,
      name: 'rotated',
      state: 'active',
      expiresAt: '2100-01-01T00:00:00.000Z',
    });
    expect(older).toMatchObject({ id: created.id, state: 'active', expiresAt: body.replaces.expiresAt });

    const atOnce = await rotate({ graceHours: 0, expires_at: null });
    expect(atOnce.status).toBe(201);
    const [newest] = await list();
    expect(newest).toMatchObject({ id: atOnce.body.id, expiresAt: null });
    expect((await list()).find(({ id }) => id === created.id)?.state).toBe('expired');
    expect((await rotate()).error).toMatchObject({ code: 'invalid_parameter', param: 'expires_at' });
    expect((await rotate({ graceHours: -1 })).error?.param).toBe('graceHours');
    expect((await api.call('POST', `${path}/999999999/rotate`, { token })).status).toBe(404);
  });

  test.each([
    ['missing_parameter', 'name', {}],
    ['invalid_parameter', 'name', { name: '' }],
    ['invalid_parameter', 'name', { name: '   ' }],
    ['invalid_parameter', 'name', { name: 'x'.repeat(101) }],
    ['invalid_parameter', 'name', { name: 5 }],
    ['invalid_parameter', 'name', { name: 'a\u0000b' }],
    ['invalid_parameter', 'expires_at', { name: 'x', expires_at: 'tomorrow' }],
    ['invalid_parameter', 'expires_at', { name: 'x', expires_at: '2100-01' }],
    ['invalid_parameter', 'expires_at', { name: 'x', expires_at: '2100-01-01Z' }],
    ['invalid_parameter', 'expires_at', { name: 'x', expires_at: '2100-01-01', expiresAt: null }],
    ['invalid_parameter', 'expires_at', { name: 'x', expires_at: '2100-02-30T00:00:00Z' }],
    ['invalid_parameter', 'expires_at', { name: 'x', expires_at: '2020-01-01T00:00:00Z' }],
    ['invalid_parameter', 'expires_at', { name: 'x', expires_at: 4_102_444_800 }],
    ['invalid_parameter', 'kind', { name: 'x', kind: 'billing' }],
    ['invalid_parameter', 'accountId', { name: 'x', accountId: 1 }],
    ['invalid_parameter', 'allowedModels', { name: 'x', allowedModels: [] }],
  ])('POST 400 %s names %s', async (code, param, body) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(answer.error).toMatchObject({ code, param });
  });

  test.each([
    ['missing_parameter', 'name', {}],
    ['invalid_parameter', 'name', { name: '' }],
    ['invalid_parameter', 'active', { active: 'false' }],
    ['invalid_parameter', 'active', { active: null }],
    ['invalid_parameter', 'expires_at', { expires_at: '2020-01-01' }],
    ['invalid_parameter', 'id', { name: 'x', id: 0 }],
    ['invalid_parameter', 'deletedAt', { name: 'x', deletedAt: null }],
  ])('PUT 400 %s names %s', async (code, param, body) => {
    const { body: created } = await create({ name: 'x' });
    const answer = await api.call('PUT', `${path}/${created.id}`, { token, body });
    expect(answer.status).toBe(400);
    expect(answer.error).toMatchObject({ code, param });
  });

  test('404 for another customer’s key, which stays as it is', async () => {
    const victim = await harness.createCustomer({ usd: '1' });
    const victimToken = await tokenOf(victim);
    const { body: created } = await api.call<CreatedKey>('POST', path, {
      token: victimToken,
      body: { name: 'theirs' },
    });
    const put = await api.call('PUT', `${path}/${created.id}`, { token, body: { active: false } });
    const del = await api.call('DELETE', `${path}/${created.id}`, { token });
    const unknown = await api.call('DELETE', `${path}/999999999`, { token });
    expect([put.status, del.status, unknown.status]).toEqual([404, 404, 404]);
    expect(put.error?.code).toBe('not_found');
    const { body } = await api.call<KeyList>('GET', path, { token: victimToken });
    expect(body.keys.find(({ id }) => id === created.id)).toMatchObject({
      name: 'theirs',
      active: true,
    });
  });

  test('404 for a key of the other kind', async () => {
    const otherKind = keyBegins === 'ms-' ? 'billing' : 'proxy';
    const [other] = await harness.database.sql`
      SELECT id FROM api_keys WHERE account_id = ${customer.accountId} AND kind = ${otherKind} LIMIT 1`;
    expect((await api.call('DELETE', `${path}/${other?.id}`, { token })).status).toBe(404);
  });

  test.each(['abc', '0', '-1', '1.5', '1e3', '9007199254740993', '%00'])('400 for the id %s', async (id) => {
    const { status, error } = await api.call('DELETE', `${path}/${id}`, { token });
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_parameter', param: 'id' });
  });
});

describe('a change of a proxy key is in force when it is answered', () => {
  test('creation, deactivation, reactivation and deletion', async () => {
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

  test('of simultaneous changes the last one recorded is the one in force', async () => {
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

  test('many customers at once do not wait for one another for ever', async () => {
    const customers = await Promise.all(Array.from({ length: 24 }, () => harness.createCustomer({ usd: '1' })));
    const answers = await Promise.all(
      customers.map(({ billingKey }) =>
        api.call<CreatedKey>('POST', '/api/keys', { token: billingKey, body: { name: 'x' } }),
      ),
    );
    expect(answers.every(({ status }) => status === 201)).toBe(true);
  });

  test('without Redis a change is 503 and recorded, a new key is 201 because nobody could ever learn it later', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    const token = customer.billingKey;
    const lonely = await startApi(harness, { environment: { REDIS_URL: 'redis://127.0.0.1:1' } });
    const created = await lonely.call<CreatedKey>('POST', '/api/keys', { token, body: { name: 'x' } });
    const changed = await lonely.call('PUT', `/api/keys/${customer.proxyKeyId}`, { token, body: { active: false } });
    const deleted = await lonely.call('DELETE', `/api/keys/${customer.proxyKeyId}`, { token });
    await lonely.stop();
    expect(created.status).toBe(201);
    expect([changed.status, deleted.status]).toEqual([503, 503]);
    expect(changed.error).toMatchObject({ code: 'wallet_unavailable' });
    expect(changed.headers.get('retry-after')).toBe('5');

    expect(await publishedKey(customer, created.body.key)).toEqual({});
    // Redis is back: the next delivery brings everything that was recorded.
    await api.call('PUT', `/api/keys/${created.body.id}`, { token, body: { name: 'y' } });
    expect((await publishedKey(customer, created.body.key)).active).toBe('1');
    expect((await publishedKey(customer, customer.proxyKey)).account).toBeUndefined();
  });

  test('billing keys do not need Redis: a change is in force as soon as it is recorded', async () => {
    const customer = await harness.createCustomer({ usd: '1' });
    const token = await byPassword(customer);
    const lonely = await startApi(harness, { environment: { REDIS_URL: 'redis://127.0.0.1:1' } });
    // Something of the account waits for Redis; it must not get into the way.
    await lonely.call('POST', '/api/keys', { token: customer.billingKey, body: { name: 'x' } });
    const { body } = await lonely.call<CreatedKey>('POST', '/api/billing-keys', { token, body: { name: 'x' } });
    const path = `/api/billing-keys/${body.id}`;
    const changed = await lonely.call('PUT', path, { token, body: { active: false } });
    const refused = await lonely.call('GET', '/api/keys', { token: body.key });
    const deleted = await lonely.call('DELETE', path, { token });
    await lonely.stop();
    expect([changed.status, refused.status, deleted.status]).toEqual([200, 403, 204]);
  });
});
