/** The audit log of an organization: what it has, who sees it, and what it never shows. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { organizationAuditSchema } from '../../../../admin/api/organizations/audit/audit-schemas.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { sellerFile } from '../../documents/books.ts';
import type { CreatedKey } from '../response-types.ts';
import { type Api, createOperator, goodPassword, randomEmail, startApi } from '../start-api.ts';
import { People, type Person } from './people.ts';

type Audit = typeof organizationAuditSchema.static;

let harness: Harness;
let api: Api;
let people: People;
beforeAll(async () => {
  harness = await startHarness();
  api = await startApi(harness, { environment: { SELLER_FILE: sellerFile, CBR_URL: 'off', TEST_PAYMENTS: 'true' } });
  people = new People(harness, api);
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

const path = '/api/organization/audit';
const read = (person: Person, query = '') => people.ok<Audit>('GET', `${path}${query}`, person);
/** Oldest first. */
const actionsOf = async (person: Person) => (await read(person)).entries.map(({ action }) => action).toReversed();

test('everything that is changed in an organization is written down, with what it was and who did it', async () => {
  const ada = await people.sign();
  const key = await people.ok<CreatedKey>('POST', '/api/proxy-keys', ada, { name: 'production' });
  await people.ok('PUT', `/api/proxy-keys/${key.id}`, ada, { name: 'batch', limits: { spendLimits: { day: '5' } } });
  await people.ok('POST', `/api/proxy-keys/${key.id}/rotate`, ada, {});
  await people.ok('DELETE', `/api/proxy-keys/${key.id}`, ada);
  const billing = await people.ok<CreatedKey>('POST', '/api/billing-keys', ada, { name: 'erp' });
  await people.ok('POST', '/api/keys', { token: billing.key }, { name: 'by a program' });
  await people.ok('PUT', '/api/organization', ada, { name: 'Romashka' });
  const { id: invitation } = await people.ok<{ id: number }>('POST', '/api/invitations', ada, {
    email: randomEmail(),
    role: 'member',
  });
  await people.ok('POST', `/api/invitations/${invitation}/resend`, ada);
  await people.ok('DELETE', `/api/invitations/${invitation}`, ada);
  const bob = await people.sign();
  await people.join(ada, bob, 'member');
  await people.ok('PUT', `/api/members/${bob.id}`, ada, { role: 'admin' });
  await people.ok('DELETE', `/api/members/${bob.id}`, ada);
  await people.ok('PUT', '/api/profile/details', ada, { accountType: 'IP', fullName: 'Лавлейс Ада' });
  await people.ok('PUT', '/api/settings/notifications', ada, { lowBalanceThreshold: 100 });
  const address = await people.ok<{ id: number }>('POST', '/api/settings/notifications/addresses', ada, {
    email: randomEmail(),
  });
  await people.ok('DELETE', `/api/settings/notifications/addresses/${address.id}`, ada);
  const ordered = await api.call('POST', '/api/payments', {
    token: ada.token,
    headers: { 'idempotency-key': crypto.randomUUID() },
    body: { method: 'test', amount: '1000.00', currency: 'RUB', returnUrl: '/billing' },
  });
  expect(ordered.status).toBe(201);
  await people.ok('GET', '/api/account/export', ada);
  expect(await actionsOf(ada)).toEqual([
    ...['key.create', 'key.update', 'key.rotate', 'key.revoke', 'billing_key.create', 'key.create'],
    ...['organization.update', 'invitation.create', 'invitation.resend', 'invitation.revoke'],
    ...['invitation.create', 'invitation.accept', 'member.role', 'member.remove'],
    ...[
      'company.update',
      'alerts.update',
      'alert_address.add',
      'alert_address.remove',
      'payment.order',
      'account.export',
    ],
  ]);
  const { entries } = await read(ada);
  const byProgram = entries.find(({ actor }) => actor.startsWith('billing key mk-'));
  expect(byProgram).toMatchObject({ action: 'key.create', after: { name: 'by a program' } });
  expect(entries.find(({ action }) => action === 'key.update')).toMatchObject({
    actor: ada.email,
    address: expect.stringMatching(/^10\./),
    requestId: expect.any(String),
    subject: `key ${key.id}`,
    before: { name: 'production', spendLimitDay: null },
    after: { name: 'batch', spendLimitDay: '5' },
  });
  // What is personal is not in it.
  expect(JSON.stringify(entries)).not.toContain('Лавлейс');
});

test('what is refused, or repeated with the same key, is not written down again', async () => {
  const ada = await people.sign();
  const create = () =>
    api.call<CreatedKey>('POST', '/api/proxy-keys', {
      token: ada.token,
      body: { name: 'once' },
      headers: { 'idempotency-key': 'the-same' },
    });
  const [first] = [await create(), await create()];
  await people.refusal('PUT', `/api/proxy-keys/${first.body.id}`, ada, { name: '' });
  await people.refusal('DELETE', '/api/proxy-keys/999999999', ada);
  await people.refusal('PUT', '/api/organization', ada, { timeZone: 'Mars' });
  await people.refusal('POST', '/api/invitations', ada, { email: ada.email, role: 'member' });
  expect(await actionsOf(ada)).toEqual(['key.create']);
});

test('an operator is not named, and what they did in other accounts is not shown', async () => {
  const operator = await createOperator(harness, api);
  const [ada, eve] = [await people.sign(), await people.sign()];
  const { id } = await people.organizationOf(ada);
  await people.ok('PUT', `/api/operator/accounts/${id}/limits`, operator, {
    requestsPerMinute: 5,
    reason: 'load test',
  });
  const { entries } = await read(ada);
  expect(entries).toEqual([
    {
      id: expect.any(Number),
      at: expect.any(String),
      actor: 'operator',
      address: null,
      requestId: null,
      action: 'account.limits',
      subject: `account ${id}`,
      reason: 'load test',
      before: expect.any(Object),
      after: expect.any(Object),
    },
  ]);
  expect((await read(eve)).entries).toEqual([]);
  expect((await read(ada, `?actor=${encodeURIComponent(operator.email)}`)).entries).toEqual([]);
});

test('operators see their own actions, and those of members where they ask for an account', async () => {
  const operator = await createOperator(harness, api);
  const ada = await people.sign();
  const { id } = await people.organizationOf(ada);
  await people.ok('PUT', '/api/organization', ada, { name: 'Romashka' });
  const all = await people.ok<Audit>('GET', '/api/operator/audit', operator);
  expect(all.entries.filter(({ action }) => action === 'organization.update')).toEqual([]);
  const of = await people.ok<Audit>('GET', `/api/operator/audit?accountId=${id}`, operator);
  expect(of.entries.map(({ actor, action }) => [actor, action])).toEqual([[ada.email, 'organization.update']]);
});

test('pages and the file have every entry once, also those of other people meanwhile', async () => {
  const ada = await people.sign();
  const names = Array.from({ length: 7 }, (_, index) => `Name ${index}`);
  for (const name of names) await people.ok('PUT', '/api/organization', ada, { name });
  const seen: (string | undefined)[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Audit = await read(ada, `?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
    seen.push(...page.entries.map(({ after }) => (after as { name?: string } | null)?.name));
    cursor = page.nextCursor;
    await people.ok('PUT', '/api/organization', ada, { timeZone: 'UTC' });
  }
  expect(seen).toEqual(names.toReversed());
  const { body } = await api.call<string>('GET', `${path}/export`, { token: ada.token });
  const lines = body.trimEnd().split('\r\n');
  expect(lines[0]).toBe('id,at,actor,address,action,subject,reason,before,after');
  expect(lines.slice(1)).toHaveLength(names.length + 3);
  for (const wrong of ['x', 'aWRfMA', 'aWRfLTE']) {
    expect(await people.refusal('GET', `${path}?cursor=${wrong}`, ada)).toEqual([400, 'invalid_parameter']);
  }
});

test('filters by action, actor and time', async () => {
  const ada = await people.sign();
  const bob = await people.sign();
  await people.join(ada, bob, 'admin');
  await people.ok('POST', '/api/proxy-keys', bob, { name: 'x' });
  expect((await read(ada, '?action=key.create')).entries).toMatchObject([{ actor: bob.email }]);
  expect((await read(ada, `?actor=${encodeURIComponent(bob.email)}`)).entries.map(({ action }) => action)).toEqual([
    'key.create',
    'invitation.accept',
  ]);
  expect((await read(ada, '?to=2020-01-01T00:00:00Z')).entries).toEqual([]);
});

test('the names of an erased person, and what they called things in their home, are not kept', async () => {
  const email = `canary-${randomEmail()}`;
  const ada = await people.sign();
  const bob = await people.acceptAsNew(email, await people.invite(ada, email, 'owner'));
  await people.ok('PUT', '/api/organization', bob, { name: 'Romashka' });
  const home = (await people.ok<{ organizations: { id: number; name: string }[] }>('GET', '/api/organizations', bob))
    .organizations;
  await people.switchTo(bob, home.find(({ name }) => name === email)?.id ?? 0);
  await people.ok('POST', '/api/proxy-keys', bob, { name: 'canary-key' });
  await people.ok('PUT', '/api/organization', bob, { name: 'canary-organization' });
  const body = { current_password: goodPassword };
  expect((await api.call('DELETE', '/api/account', { token: bob.token, body })).status).toBe(200);
  const [left] = await harness.database
    .sql`SELECT count(*)::int AS entries FROM audit_entries AS t WHERE t::text LIKE '%canary%'`;
  expect(left).toEqual({ entries: 0 });
  const renamed = (await read(ada)).entries.find(({ action }) => action === 'organization.update');
  expect(renamed).toMatchObject({ actor: `user ${bob.id}`, address: null, after: { name: 'Romashka' } });
});
