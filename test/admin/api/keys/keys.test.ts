/** The life cycle of a key, at the three endpoints where keys are managed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Customer, testPassword } from '../../../harness/customers.ts';
import { noLimits, nothingSpent } from '../../../harness/no-limits.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { CreatedKey, KeyList, RotatedKey } from '../response-types.ts';
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

interface Place {
  readonly name: string;
  readonly keyBegins: string;
  token(customer: Customer): Promise<string>;
}

const byPassword = (customer: Customer) => logIn(api, customer.email, testPassword);
const places: Place[] = [
  { name: '/api/keys', keyBegins: 'ms-', token: async (customer) => customer.billingKey },
  { name: '/api/proxy-keys', keyBegins: 'ms-', token: byPassword },
  { name: '/api/billing-keys', keyBegins: 'mk-', token: byPassword },
];

describe.each(places)('$name', ({ name: path, keyBegins, token: tokenOf }) => {
  let customer: Customer;
  let token: string;
  beforeAll(async () => {
    customer = await harness.createCustomer({ usd: '1' });
    token = await tokenOf(customer);
  });
  const create = (body: object) => api.call<CreatedKey>('POST', path, { token, body });
  const list = async () => (await api.call<KeyList>('GET', path, { token })).body.keys;

  test('a key is created, listed, renamed, deactivated, reactivated and deleted', async () => {
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
        projectId: null,
        allowedIps: null,
        dataPolicy: null,
        cacheSeconds: null,
        lastUsedAt: null,
        spend30d: 0,
        spend30dUsd: '0',
        ...nothingSpent,
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
  ])('stores the expiry %s as %s, at creation and by PUT, under either name', async (written, read) => {
    const { body: created } = await create({ name: 'soon gone', expires_at: written });
    expect((await list())[0]?.expiresAt).toBe(read);
    for (const name of ['expires_at', 'expiresAt']) {
      await api.call('PUT', `${path}/${created.id}`, { token, body: { expires_at: '2099-01-01' } });
      const changed = await api.call('PUT', `${path}/${created.id}`, { token, body: { [name]: written } });
      expect(changed.body).toMatchObject({ expiresAt: read, state: 'active' });
    }
  });

  test('PUT accepts what GET returns, and names a changed field that only the gateway sets', async () => {
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

  test('an expired key is listed as such, can be sent back, and works again with a new expiry', async () => {
    const { body: created } = await create({ name: 'old' });
    await harness.database.sql`UPDATE api_keys SET expires_at = '2020-01-01' WHERE id = ${created.id}`;
    const [listed] = await list();
    expect(listed).toMatchObject({ active: false, state: 'expired', expiresAt: '2020-01-01T00:00:00.000Z' });
    const put = (body: object) => api.call('PUT', `${path}/${created.id}`, { token, body });
    expect((await put({ ...listed })).body).toEqual(listed);
    expect((await put({ ...listed, expiresAt: '2100-01-01' })).body).toMatchObject({ active: true, state: 'active' });
  });

  test('a rotation creates a key with the same name, and the old one works for its grace period', async () => {
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
  ])('returns 400 %s that names %s, at creation', async (code, param, body) => {
    const response = await create(body);
    expect(response.status).toBe(400);
    expect(response.error).toMatchObject({ code, param });
  });

  test.each([
    ['missing_parameter', 'name', {}],
    ['invalid_parameter', 'name', { name: '' }],
    ['invalid_parameter', 'active', { active: 'false' }],
    ['invalid_parameter', 'active', { active: null }],
    ['invalid_parameter', 'expires_at', { expires_at: '2020-01-01' }],
    ['invalid_parameter', 'id', { name: 'x', id: 0 }],
    ['invalid_parameter', 'deletedAt', { name: 'x', deletedAt: null }],
  ])('returns 400 %s that names %s, by PUT', async (code, param, body) => {
    const { body: created } = await create({ name: 'x' });
    const response = await api.call('PUT', `${path}/${created.id}`, { token, body });
    expect(response.status).toBe(400);
    expect(response.error).toMatchObject({ code, param });
  });

  test('returns 404 for another customer’s key, which stays as it is', async () => {
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

  test('returns 404 for a key of the other kind', async () => {
    const otherKind = keyBegins === 'ms-' ? 'billing' : 'proxy';
    const [other] = await harness.database.sql`
      SELECT id FROM api_keys WHERE account_id = ${customer.accountId} AND kind = ${otherKind} LIMIT 1`;
    expect((await api.call('DELETE', `${path}/${other?.id}`, { token })).status).toBe(404);
  });

  test.each(['abc', '0', '-1', '1.5', '1e3', '9007199254740993', '%00'])('returns 400 for the id %s', async (id) => {
    const { status, error } = await api.call('DELETE', `${path}/${id}`, { token });
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_parameter', param: 'id' });
  });
});
