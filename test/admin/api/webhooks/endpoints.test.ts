/** Webhook endpoints in the account API: made, changed, tested and deleted, by whom, and what is shown of them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type {
  deliveriesSchema,
  deliverySchema,
  endpointSchema,
  newSecretSchema,
} from '../../../../admin/api/webhooks/endpoint-schemas.ts';
import { webhookTestsMax } from '../../../../admin/auth/throttle/request-throttle.ts';
import { endpointsMax } from '../../../../admin/webhooks/endpoints/endpoints.ts';
import { Receiver } from '../../../harness/webhooks/receiver.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { openSender } from '../../webhooks/endpoint.ts';
import { People, type Person } from '../organizations/people.ts';
import type { CreatedKey } from '../response-types.ts';
import { type Api, goodPassword, register, startApi } from '../start-api.ts';

type Endpoint = typeof endpointSchema.static;
type WithSecret = typeof newSecretSchema.static;
type Delivery = typeof deliverySchema.static;
type Deliveries = typeof deliveriesSchema.static;

let harness: Harness;
let api: Api;
let people: People;
let receiver: Receiver;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness, { environment: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  people = new People(harness, api);
  receiver = new Receiver();
});
afterAll(async () => {
  await receiver.stop();
  await api.stop();
  await harness.stop();
});

const create = (by: Person, body: object = {}) =>
  people.ok<WithSecret>('POST', '/api/webhooks', by, { url: receiver.url('/api'), events: ['key.created'], ...body });
const list = async (by: Person) => (await people.ok<{ webhooks: Endpoint[] }>('GET', '/api/webhooks', by)).webhooks;
const deliveries = (by: Person, { id }: { id: string }, query = '') =>
  people.ok<Deliveries>('GET', `/api/webhooks/${id}/deliveries${query}`, by);
const createKey = (by: Person) => people.ok<CreatedKey>('POST', '/api/proxy-keys', by, { name: 'production' });

test('an endpoint is made with a secret that is shown once, listed, changed and deleted', async () => {
  const ada = await people.sign();
  const { secret, ...made } = await create(ada, { events: ['key.created', 'balance.low'] });
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  expect(made).toEqual({
    id: expect.any(String),
    url: receiver.url('/api'),
    events: ['key.created', 'balance.low'],
    active: true,
    ...{ restedAt: null, restReason: null, formerSecretEndsAt: null },
    createdAt: expect.any(String),
  });
  expect(await list(ada)).toEqual([made]);
  const change = { url: receiver.url('/changed'), events: ['model.retiring'], active: false };
  expect(await people.ok('PUT', `/api/webhooks/${made.id}`, ada, change)).toEqual({ ...made, ...change });
  expect(await people.ok('PUT', `/api/webhooks/${made.id}`, ada, { active: true })).toMatchObject({ active: true });
  await people.ok('DELETE', `/api/webhooks/${made.id}`, ada);
  expect(await list(ada)).toEqual([]);
  expect(await people.refusal('DELETE', `/api/webhooks/${made.id}`, ada)).toEqual([404, 'not_found']);
});

test('neither the database nor the audit log has a secret, and every change is audited', async () => {
  const ada = await people.sign();
  const { id, secret } = await create(ada);
  await people.ok('PUT', `/api/webhooks/${id}`, ada, { active: false });
  const rotated = await people.ok<WithSecret>('POST', `/api/webhooks/${id}/rotate`, ada);
  const { entries } = await people.ok<{ entries: { action: string; subject: string; before: unknown }[] }>(
    'GET',
    '/api/organization/audit',
    ada,
  );
  const stored = await harness.database.sql`SELECT * FROM webhook_endpoints WHERE id = ${id}`;
  for (const hidden of [secret, rotated.secret]) {
    expect(JSON.stringify([stored, entries])).not.toContain(hidden.slice('whsec_'.length));
  }
  await people.ok('DELETE', `/api/webhooks/${id}`, ada);
  const log = await harness.database.sql<{ action: string; subject: string }[]>`
    SELECT action, subject FROM audit_entries WHERE subject = ${`webhook ${id}`} ORDER BY id`;
  const actions = ['webhook.create', 'webhook.update', 'webhook.rotate', 'webhook.delete'];
  expect(log.map(({ action }) => action)).toEqual(actions);
});

test.each<readonly [object, string]>([
  [{ events: [] }, 'events'],
  [{ events: ['key.created', 'key.created'] }, 'events'],
  [{ events: ['key.forged'] }, 'events[0]'],
  [{ url: 'ftp://example.com' }, 'url'],
  [{ url: 'http://user@example.com' }, 'url'],
  [{ url: '' }, 'url'],
  [{ active: 'yes' }, 'active'],
  [{ secret: 'whsec_mine' }, 'secret'],
])('%j is refused', async (body, param) => {
  const ada = await people.sign();
  const whole = { url: receiver.url('/api'), events: ['key.created'], ...body };
  const { status, error } = await api.call('POST', '/api/webhooks', { token: ada.token, body: whole });
  expect([status, error?.code, error?.param]).toEqual([400, 'invalid_parameter', param]);
});

describe('without WEBHOOK_ALLOW_PRIVATE', () => {
  let strict: Api;
  let ada: Person;
  beforeAll(async () => {
    strict = await startApi(harness);
    ada = await people.sign();
  });
  afterAll(() => strict.stop());

  test.each([
    'http://93.184.215.14/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://8.8.8.8:22/',
    'https://user:password@8.8.8.8/',
  ])('%s is refused when it is saved', async (url) => {
    const body = { url, events: ['key.created'] };
    const { status, error } = await strict.call('POST', '/api/webhooks', { token: ada.token, body });
    expect([status, error?.param]).toEqual([400, 'url']);
    expect(error?.message).toBe(
      "Invalid value for 'url': expected a public https URL, with port 443 or one from 1024.",
    );
  });

  test('a public address is saved, and cannot be changed to a private one', async () => {
    const body = { url: 'https://8.8.8.8:8443/hooks', events: ['key.created'], active: false };
    const made = await strict.call<WithSecret>('POST', '/api/webhooks', { token: ada.token, body });
    expect(made.status).toBe(201);
    const path = `/api/webhooks/${made.body.id}`;
    const changed = await strict.call('PUT', path, { token: ada.token, body: { url: 'https://10.0.0.1/' } });
    expect([changed.status, changed.error?.param]).toEqual([400, 'url']);
  });
});

test('a test event is sent at once, verifies, and is listed with the response', async () => {
  const ada = await people.sign();
  const { id, secret } = await create(ada, { url: receiver.url('/tested'), active: false });
  const delivery = await people.ok<Delivery>('POST', `/api/webhooks/${id}/test`, ada);
  expect(delivery).toMatchObject({
    ...{ type: 'webhook.test', data: {}, status: 'delivered', attempts: 1, nextAttemptAt: null },
    ...{ responseStatus: 200, response: 'thanks', error: null },
  });
  const [request] = receiver.at('/tested');
  if (request === undefined) throw new Error('nothing arrived');
  Receiver.verify(secret, request);
  expect(request.headers['webhook-id']).toBe(delivery.webhookId);
  expect((await deliveries(ada, { id })).deliveries).toEqual([delivery]);
});

test('a test that fails is not repeated, and the endpoint goes on', async () => {
  const ada = await people.sign();
  const { id } = await create(ada, { url: receiver.url('/test-fails') });
  receiver.answers.set('/test-fails', () => new Response('broken', { status: 503 }));
  const delivery = await people.ok<Delivery>('POST', `/api/webhooks/${id}/test`, ada);
  expect(delivery).toMatchObject({
    ...{ status: 'failed', responseStatus: 503, response: 'broken', nextAttemptAt: null },
    error: 'the endpoint responded with status 503',
  });
  expect((await list(ada))[0]?.active).toBe(true);
});

test('deliveries are listed newest first, in pages, and one is sent again with its id', async () => {
  const ada = await people.sign();
  const endpoint = await create(ada, { url: receiver.url('/replayed') });
  const opened = openSender(harness);
  for (let count = 0; count < 3; count += 1) await createKey(ada);
  const pending = (await deliveries(ada, endpoint)).deliveries;
  expect(pending.map(({ status, attempts }) => [status, attempts])).toEqual(Array(3).fill(['pending', 0]));
  await opened.sender.sendDue();
  const first = await deliveries(ada, endpoint, '?limit=2');
  const second = await deliveries(ada, endpoint, `?limit=2&cursor=${first.nextCursor}`);
  expect([first.deliveries.length, second.deliveries.length, second.nextCursor]).toEqual([2, 1, null]);
  const [oldest] = second.deliveries;
  if (oldest === undefined) throw new Error('there is no delivery');
  expect(oldest).toMatchObject({ type: 'key.created', status: 'delivered', attempts: 1 });
  const path = `/api/webhooks/${endpoint.id}/deliveries/${oldest.id}/replay`;
  expect(await people.ok('POST', path, ada)).toMatchObject({ id: oldest.id, status: 'pending' });
  opened.now = new Date(Date.now() + 1_000);
  await opened.sender.sendDue();
  const ids = receiver.at('/replayed').map(({ headers }) => headers['webhook-id']);
  expect([ids.length, ids.at(-1)]).toEqual([4, oldest.webhookId]);
  const again = (await deliveries(ada, endpoint)).deliveries.find(({ id }) => id === oldest.id);
  expect(again).toMatchObject({ status: 'delivered', attempts: 2 });
  await people.ok('PUT', `/api/webhooks/${endpoint.id}`, ada, { active: false });
  expect(await people.refusal('POST', path, ada)).toEqual([409, 'webhook_inactive']);
});

test('after a rotation, the new secret is shown once, and until when the former one signs', async () => {
  const ada = await people.sign();
  const { id, secret } = await create(ada, { url: receiver.url('/api-rotated') });
  const rotated = await people.ok<WithSecret>('POST', `/api/webhooks/${id}/rotate`, ada);
  expect(rotated.secret).not.toBe(secret);
  const leftMs = Date.parse(rotated.formerSecretEndsAt ?? '') - Date.now();
  expect(leftMs / 3_600_000).toBeWithin(23, 24.1);
  await people.ok('POST', `/api/webhooks/${id}/test`, ada);
  const [request] = receiver.at('/api-rotated');
  if (request === undefined) throw new Error('nothing arrived');
  for (const each of [secret, rotated.secret]) Receiver.verify(each, request);
});

test('a member who joins is reported', async () => {
  const [ada, grace] = [await people.sign(), await people.sign()];
  const endpoint = await create(ada, { events: ['member.joined'] });
  await people.join(ada, grace, 'finance');
  const [joined] = (await deliveries(ada, endpoint)).deliveries;
  expect(joined).toMatchObject({
    type: 'member.joined',
    data: { userId: grace.id, email: grace.email, role: 'finance' },
  });
  const token = await people.invite(ada, `${crypto.randomUUID()}@example.com`, 'member');
  expect(token).toBeString();
  expect((await deliveries(ada, endpoint)).deliveries).toHaveLength(1);
});

test('the owner and admins manage webhooks, auditors see them, and no one else does', async () => {
  const [ada, bob] = [await people.sign(), await people.sign()];
  const { id } = await create(ada);
  await people.join(ada, bob, 'admin');
  await people.ok('PUT', `/api/webhooks/${id}`, bob, { active: false });
  const become = (role: string) => harness.database.sql`UPDATE memberships SET role = ${role} WHERE user_id = ${bob.id}
    AND account_id = (SELECT account_id FROM webhook_endpoints WHERE id = ${id})`;
  await become('auditor');
  expect(await list(bob)).toHaveLength(1);
  expect(await people.refusal('POST', `/api/webhooks/${id}/rotate`, bob)).toEqual([403, 'role_required']);
  for (const role of ['finance', 'member']) {
    await become(role);
    expect(await people.refusal('GET', '/api/webhooks', bob)).toEqual([403, 'role_required']);
  }
});

test('an organization has a limited number of endpoints, and one whose address is unproven has none', async () => {
  const ada = await people.sign();
  for (let count = 0; count < endpointsMax; count += 1) await create(ada);
  const body = { url: receiver.url('/api'), events: ['key.created'] };
  expect(await people.refusal('POST', '/api/webhooks', ada, body)).toEqual([422, 'too_many_webhooks']);
  const unproven = await register(api);
  expect(await people.refusal('POST', '/api/webhooks', unproven, body)).toEqual([403, 'email_not_verified']);
});

test('tests, replays and new addresses are limited in number', async () => {
  const ada = await people.sign();
  const { id } = await create(ada, { url: receiver.url('/api') });
  const path = `/api/webhooks/${id}/test`;
  for (let count = 1; count < webhookTestsMax; count += 1) await people.ok('POST', path, ada);
  expect(await people.refusal('POST', path, ada)).toEqual([429, 'too_many_attempts']);
});

test('a deleted account leaves neither endpoints nor deliveries', async () => {
  const ada = await people.sign();
  const { id } = await create(ada);
  await createKey(ada);
  const body = { current_password: goodPassword };
  const { status } = await api.call('DELETE', '/api/account', { token: ada.token, body });
  expect(status).toBe(200);
  const { sql } = harness.database;
  expect(await sql`SELECT FROM webhook_endpoints WHERE id = ${id}`).toHaveLength(0);
  expect(await sql`SELECT FROM webhook_deliveries WHERE endpoint_id = ${id}`).toHaveLength(0);
});
