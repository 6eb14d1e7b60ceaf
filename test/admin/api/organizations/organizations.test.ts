/** Someone's organizations: made, named, and switched between. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ownedMax } from '../../../../admin/organizations/organizations.ts';
import { testPassword } from '../../../harness/customers.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import type { CreatedKey } from '../response-types.ts';
import { type Api, goodPassword, logIn, register, startApi } from '../start-api.ts';
import { type Organization, type Organizations, People } from './people.ts';

let harness: Harness;
let api: Api;
let people: People;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness);
  people = new People(harness, api);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const namesOf = async (person: { token: string }) =>
  (await people.ok<Organizations>('GET', '/api/organizations', person)).organizations.map(({ name }) => name);

test('everyone owns one, which has the name of its owner, then of the company, then its own', async () => {
  const ada = await people.sign();
  const own = async () => (await people.ok<Organizations>('GET', '/api/organizations', ada)).organizations;
  expect(await own()).toEqual([{ id: expect.any(Number), name: ada.email, role: 'owner', current: true }]);
  const company = { accountType: 'OOO', companyName: 'ООО «Ромашка»' };
  await people.ok('PUT', '/api/profile/details', ada, company);
  expect(await namesOf(ada)).toEqual(['ООО «Ромашка»']);
  const named = await people.ok<Organization>('PUT', '/api/organization', ada, {
    name: ' Romashka ',
    timeZone: 'Asia/Tokyo',
  });
  expect(named).toMatchObject({ name: 'Romashka', timeZone: 'Asia/Tokyo', role: 'owner' });
  expect(await people.organizationOf(ada)).toEqual(named);
});

test.each([
  ['name', { name: ' ' }],
  ['name', { name: 'Win at http://evil.example' }],
  ['name', { name: 'See WWW.evil.example' }],
  ['name', { name: 'x'.repeat(101) }],
  ['name', { name: 'a\nb' }],
  ['timeZone', { timeZone: 'Mars/Olympus' }],
  ['timeZone', { timeZone: '+03:00' }],
  ['name', {}],
])('a wrong %s is refused, and nothing changes: %j', async (param, change) => {
  const ada = await people.sign();
  const before = await people.organizationOf(ada);
  const { status, error } = await api.call('PUT', '/api/organization', { token: ada.token, body: change });
  expect([status, error?.param]).toEqual([400, param]);
  expect(await people.organizationOf(ada)).toEqual(before);
});

test('a new organization has nothing of the first one, and its tokens are for it alone', async () => {
  const ada = await people.sign();
  const home = await people.organizationOf(ada);
  const before = { ...ada };
  const { id } = await people.ok<Organization>('POST', '/api/organizations', ada, { name: 'Second' });
  const key = await people.ok<CreatedKey>('POST', '/api/proxy-keys', ada, { name: 'of the first' });
  const session = await people.switchTo(ada, id);
  expect(session.organization).toMatchObject({ id, name: 'Second', role: 'owner' });
  expect(session.user.id).toBe(ada.id);
  expect(await people.ok('GET', '/api/proxy-keys', ada)).toEqual({ keys: [] });
  expect(await people.refusal('DELETE', `/api/proxy-keys/${key.id}`, ada)).toEqual([404, 'not_found']);
  // The session that has ended.
  expect(await people.refusal('GET', '/api/balance', before)).toEqual([401, 'invalid_token']);
  await people.switchTo(ada, home.id);
  expect(await people.ok('GET', '/api/proxy-keys', ada)).toMatchObject({ keys: [{ id: key.id }] });
});

test('a refresh stays in the organization, and the next log-in begins there', async () => {
  const ada = await people.sign();
  const { id } = await people.ok<Organization>('POST', '/api/organizations', ada, { name: 'Second' });
  const { refreshToken } = await people.switchTo(ada, id);
  const { body } = await api.call<{ accessToken: string }>('POST', '/api/auth/refresh', { body: { refreshToken } });
  expect((await people.organizationOf({ ...ada, token: body.accessToken })).id).toBe(id);
  const token = await logIn(api, ada.email, goodPassword);
  expect((await people.organizationOf({ ...ada, token })).id).toBe(id);
});

test('the cookie of a browser is replaced by a switch, and pages of other origins cannot switch', async () => {
  const ada = await people.sign();
  const { id } = await people.ok<Organization>('POST', '/api/organizations', ada, { name: 'Second' });
  const body = { organizationId: id };
  const foreign = { token: ada.token, body, headers: { origin: 'https://evil.example', 'content-type': 'text/plain' } };
  expect((await api.call('POST', '/api/auth/switch', foreign)).error?.code).toBe('cross_origin');
  const { headers } = await api.call('POST', '/api/auth/switch', { token: ada.token, body });
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  const refreshed = await api.call<{ organization: { id: number } }>('POST', '/api/auth/refresh', {
    headers: { cookie },
  });
  expect(refreshed.body.organization.id).toBe(id);
});

test('no one can switch to an organization of others, nor twice from one session', async () => {
  const [ada, bob] = [await people.sign(), await people.sign()];
  const other = await people.organizationOf(bob);
  const path = '/api/auth/switch';
  expect(await people.refusal('POST', path, ada, { organizationId: other.id })).toEqual([404, 'not_found']);
  expect(await people.refusal('POST', path, ada, { organizationId: 999_999_999 })).toEqual([404, 'not_found']);
  expect(await people.refusal('POST', path, ada, { organizationId: 'x' })).toEqual([400, 'invalid_parameter']);
  const own = await people.organizationOf(ada);
  const twice = await Promise.all(
    [1, 2, 3].map(() => api.call('POST', path, { token: ada.token, body: { organizationId: own.id } })),
  );
  expect(twice.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
});

test('the key of a playground ends with the session that a switch ends', async () => {
  const ada = await people.sign();
  const { id } = await people.ok<Organization>('POST', '/api/organizations', ada, { name: 'Second' });
  const { id: keyId } = await people.ok<{ id: number }>('POST', '/api/playground-key', ada);
  await people.switchTo(ada, id);
  const [key] = await harness.database.sql`SELECT deleted_at IS NULL AS living FROM api_keys WHERE id = ${keyId}`;
  expect(key).toEqual({ living: false });
});

test('one person owns a limited number of organizations, also with many requests at once', async () => {
  const ada = await people.sign();
  const create = () => api.call('POST', '/api/organizations', { token: ada.token, body: { name: 'One more' } });
  const created = await Promise.all(Array.from({ length: ownedMax + 2 }, create));
  expect(created.filter(({ status }) => status === 201)).toHaveLength(ownedMax - 1);
  expect(created.filter(({ error }) => error?.code === 'too_many_organizations')).toHaveLength(3);
  expect(await namesOf(ada)).toHaveLength(ownedMax);
});

test('whoever has not verified their address creates none', async () => {
  const ada = await register(api);
  expect(await people.refusal('POST', '/api/organizations', ada, { name: 'x' })).toEqual([403, 'email_not_verified']);
});

describe('an access token of version 0.1.0, which names no organization', () => {
  test('is for the home of its user', async () => {
    const customer = await harness.createCustomer({ usd: '5' });
    const token = await logIn(api, customer.email, testPassword);
    const [, payload = ''] = token.split('.');
    const { org, ...claims } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(org).toBe(customer.accountId);
    const old = await signWith(harness.jwtSecret, claims);
    expect(await people.ok('GET', '/api/balance', { token: old })).toMatchObject({ balance: 5 });
    expect((await people.organizationOf({ id: 0, email: '', token: old })).id).toBe(customer.accountId);
  });

  test('is not what a token for another organization looks like to it', async () => {
    const ada = await people.sign();
    const audience = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).aud;
    const home = audience(ada.token);
    const { id } = await people.ok<Organization>('POST', '/api/organizations', ada, { name: 'Second' });
    await people.switchTo(ada, id);
    expect(home).toBe('model-gateway-api');
    expect(audience(ada.token)).not.toBe(home);
  });
});

async function signWith(secret: string, claims: object): Promise<string> {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${text}.${new Bun.CryptoHasher('sha256', secret).update(text).digest('base64url')}`;
}
