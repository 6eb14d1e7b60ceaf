/** Organizations that are deleted or blocked, and people who delete their user: what ends for whom. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Harness, startHarness } from '../../../harness.ts';
import type { CreatedKey } from '../response-types.ts';
import { type Api, createOperator, goodPassword, logIn, randomEmail, startApi } from '../start-api.ts';
import { type Organization, type Organizations, People, type Person } from './people.ts';

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

const remove = (person: Person) =>
  api.call('DELETE', '/api/account', { token: person.token, body: { current_password: goodPassword } });
const logInAgain = async (person: Person) => ({ ...person, token: await logIn(api, person.email, goodPassword) });
const namesOf = async (person: Person) =>
  (await people.ok<Organizations>('GET', '/api/organizations', person)).organizations.map(({ name }) => name);

describe('an organization that is deleted', () => {
  test('takes no one’s user with it where it is no one’s home', async () => {
    const [ada, bob] = [await people.sign(), await people.sign()];
    const { id } = await people.ok<Organization>('POST', '/api/organizations', ada, { name: 'Second' });
    await people.switchTo(ada, id);
    await people.join(ada, bob, 'admin');
    const key = await people.ok<CreatedKey>('POST', '/api/proxy-keys', bob, { name: 'x' });
    expect((await remove(ada)).status).toBe(200);
    for (const person of [ada, bob]) {
      expect(await people.refusal('GET', '/api/balance', person)).toEqual([401, 'invalid_token']);
      expect(await namesOf(await logInAgain(person))).toEqual([person.email]);
    }
    const { sql } = harness.database;
    const [row] = await sql`SELECT deleted_at IS NULL AS living FROM api_keys WHERE id = ${key.id}`;
    expect(row).toEqual({ living: false });
    const [account] =
      await sql`SELECT name, deleted_at IS NULL AS living FROM accounts JOIN organizations USING (id) WHERE id = ${id}`;
    expect(account).toEqual({ name: null, living: false });
  });

  test('takes the user of its owner with it where it is their home, and of no one else', async () => {
    const [ada, bob] = [await people.sign(), await people.sign()];
    await people.join(ada, bob, 'owner');
    expect((await remove(ada)).status).toBe(200);
    const body = { email: ada.email, password: goodPassword };
    expect((await api.call('POST', '/api/auth/login', { body })).status).toBe(401);
    expect(await namesOf(await logInAgain(bob))).toEqual([bob.email]);
  });

  test('by another owner gives the one whose home it was an empty one', async () => {
    const [ada, bob] = [await people.sign(), await people.sign()];
    const { id } = await people.organizationOf(ada);
    await people.join(ada, bob, 'owner');
    expect((await remove(bob)).status).toBe(200);
    const home = await logInAgain(ada);
    expect(await namesOf(home)).toEqual([ada.email]);
    expect((await people.organizationOf(home)).id).not.toBe(id);
    expect(await namesOf(await logInAgain(bob))).toEqual([bob.email]);
  });
});

describe('someone who deletes their user', () => {
  test('leaves their other organizations, where their keys are refused when the call returns', async () => {
    const [ada, bob] = [await people.sign(), await people.sign()];
    const home = { ...bob };
    await people.join(ada, bob, 'member');
    const key = await people.ok<CreatedKey>('POST', '/api/proxy-keys', bob, { name: 'x' });
    const { organizations } = await people.ok<Organizations>('GET', '/api/organizations', bob);
    Object.assign(home, await logInAgain(bob));
    await people.switchTo(home, organizations.find(({ role }) => role === 'owner')?.id ?? 0);
    expect((await remove(home)).status).toBe(200);
    expect((await people.membersOf(ada)).map(({ id }) => id)).toEqual([ada.id]);
    const [row] = await harness.database.sql`
      SELECT active, EXISTS (SELECT FROM outbox WHERE key_id = api_keys.id AND delivered_at IS NULL) AS waiting
      FROM api_keys WHERE id = ${key.id}`;
    expect(row).toEqual({ active: false, waiting: false });
  });

  test('must not be the last owner of another, and nothing changes then', async () => {
    const [ada, bob] = [await people.sign(), await people.sign()];
    const { id: home } = await people.organizationOf(ada);
    const { id } = await people.ok<Organization>('POST', '/api/organizations', ada, { name: 'Second' });
    const refused = await remove(ada);
    expect([refused.status, refused.error?.code]).toEqual([409, 'last_owner']);
    expect(await namesOf(ada)).toEqual([ada.email, 'Second']);
    await people.switchTo(ada, id);
    await people.join(ada, bob, 'owner');
    await people.switchTo(ada, home);
    expect((await remove(ada)).status).toBe(200);
    expect((await people.membersOf(bob)).map(({ email }) => email)).toEqual([bob.email]);
  });

  test('is named nowhere any more, in no organization and no invitation', async () => {
    const ada = await people.sign();
    const email = `canary-${randomEmail()}`;
    const bob = await people.acceptAsNew(email, await people.invite(ada, email, 'member'));
    await people.ok('PUT', `/api/members/${bob.id}`, ada, { role: 'admin' });
    const carol = await people.sign();
    await people.invite(carol, email.toUpperCase(), 'member');
    const { id: organization } = await people.organizationOf(ada);
    await harness.database.sql`
      INSERT INTO payments (id, account_id, method, status, currency, amount_minor, credit_nano, rub_per_usd, margin_ppm,
        rub_kopecks, return_url, email, expires_at)
      VALUES (${crypto.randomUUID()}, ${organization}, 'yookassa', 'expired', 'RUB', 100, 1, 900000, 0, 100, '', ${email}, now())`;
    const home = (await people.ok<Organizations>('GET', '/api/organizations', bob)).organizations.find(
      ({ role }) => role === 'owner',
    );
    await people.switchTo(bob, home?.id ?? 0);
    expect((await remove(bob)).status).toBe(200);
    const { sql } = harness.database;
    const [left] = await sql`
      SELECT (SELECT count(*) FROM audit_entries AS t WHERE t::text ILIKE '%canary%')::int AS entries,
        (SELECT count(*) FROM invitations AS t WHERE t::text ILIKE '%canary%')::int AS invitations,
        (SELECT count(*) FROM users AS t WHERE t::text ILIKE '%canary%')::int AS users,
        (SELECT count(*) FROM payments AS t WHERE t::text ILIKE '%canary%')::int AS payments,
        (SELECT count(*) FROM mails AS t WHERE t.kind <> 'account_deleted' AND t::text ILIKE '%canary%')::int AS mails`;
    expect(left).toEqual({ entries: 0, invitations: 0, users: 0, payments: 0, mails: 0 });
  });
});

test('a deletion by an operator erases the one whose home it is, and lets the others go', async () => {
  const operator = await createOperator(harness, api);
  const [ada, bob] = [await people.sign(), await people.sign()];
  const { id } = await people.organizationOf(ada);
  await people.join(ada, bob, 'owner');
  await people.ok('DELETE', `/api/operator/accounts/${id}`, operator, { reason: 'asked for' });
  expect(await people.refusal('GET', '/api/balance', bob)).toEqual([401, 'invalid_token']);
  expect(await namesOf(await logInAgain(bob))).toEqual([bob.email]);
  const [row] = await harness.database.sql`SELECT deleted_at IS NULL AS living FROM users WHERE id = ${ada.id}`;
  expect(row).toEqual({ living: false });
});

test('an operator deletes neither their own home nor the organization that they are in as an operator', async () => {
  const operator = await createOperator(harness, api);
  const { id } = await people.ok<Organization>('POST', '/api/organizations', operator, { name: 'Second' });
  const person = { id: operator.userId, email: operator.email, token: operator.token };
  await people.switchTo(person, id);
  for (const own of [id, operator.accountId]) {
    const path = `/api/operator/accounts/${own}`;
    expect(await people.refusal('DELETE', path, person, { reason: 'x' })).toEqual([403, 'access_denied']);
  }
});

test('a blocked organization is closed to its members, who go on elsewhere', async () => {
  const operator = await createOperator(harness, api);
  const [ada, bob] = [await people.sign(), await people.sign()];
  const elsewhere = { ...bob };
  await people.join(ada, bob, 'admin');
  const { id } = await people.organizationOf(bob);
  const { organizations } = await people.ok<Organizations>('GET', '/api/organizations', bob);
  Object.assign(elsewhere, await logInAgain(bob));
  await people.switchTo(elsewhere, organizations.find(({ role }) => role === 'owner')?.id ?? 0);
  const reason = { reason: 'a stolen card' };
  await people.ok('POST', `/api/operator/accounts/${id}/block`, operator, reason);
  for (const person of [ada, bob]) {
    expect(await people.refusal('GET', '/api/balance', person)).toEqual([401, 'invalid_token']);
  }
  expect(await people.organizationOf(elsewhere)).toMatchObject({ name: bob.email });
  expect(await people.organizationOf(await logInAgain(bob))).toMatchObject({ name: bob.email });
  const body = { email: ada.email, password: goodPassword };
  expect((await api.call('POST', '/api/auth/login', { body })).error?.code).toBe('account_blocked');
  expect(await people.refusal('POST', '/api/auth/switch', elsewhere, { organizationId: id })).toEqual([
    403,
    'account_blocked',
  ]);
  await people.ok('POST', `/api/operator/accounts/${id}/unblock`, operator, reason);
  expect(await people.organizationOf(await logInAgain(ada))).toMatchObject({ id });
});

test('an operator cannot block an organization that they belong to', async () => {
  const operator = await createOperator(harness, api);
  const ada = await people.sign();
  const { id } = await people.organizationOf(ada);
  await people.join(ada, { id: operator.userId, email: operator.email, token: operator.token }, 'auditor');
  const token = await logIn(api, operator.email, 'correct horse battery staple');
  const path = `/api/operator/accounts/${id}/block`;
  expect(await people.refusal('POST', path, { token }, { reason: 'x' })).toEqual([403, 'access_denied']);
});
