/** Members: roles are changed, people leave or are removed, and what they had in the organization ends. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Harness, startHarness } from '../../../harness.ts';
import type { CreatedKey } from '../response-types.ts';
import { type Api, goodPassword, logIn, startApi } from '../start-api.ts';
import { type Organizations, People, type Person } from './people.ts';

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

/** The owner, and a member of theirs. */
async function pair(role: 'owner' | 'admin' | 'finance' | 'member' | 'auditor' = 'member'): Promise<[Person, Person]> {
  const [ada, bob] = [await people.sign(), await people.sign()];
  await people.join(ada, bob, role);
  return [ada, bob];
}

const createKey = async (person: Person) =>
  people.ok<CreatedKey>('POST', '/api/proxy-keys', person, { name: 'production' });

/** What the proxy reads. */
async function isRefused({ key }: CreatedKey): Promise<boolean> {
  const prefix = key.slice(0, 11);
  const [row] = await harness.database.sql`
    SELECT active AND deleted_at IS NULL AS active, EXISTS (
      SELECT FROM outbox WHERE key_id = api_keys.id AND delivered_at IS NULL) AS waiting
    FROM api_keys WHERE prefix = ${prefix}`;
  expect(row?.waiting).toBe(false);
  return row?.active === false;
}

test('members are listed with their roles, in the order in which they joined', async () => {
  const [ada, bob] = await pair('auditor');
  const members = await people.membersOf(bob);
  expect(members).toEqual([
    expect.objectContaining({ id: ada.id, email: ada.email, role: 'owner', lastSeenAt: expect.any(String) }),
    expect.objectContaining({ id: bob.id, email: bob.email, role: 'auditor', lastSeenAt: expect.any(String) }),
  ]);
});

test('a changed role is effective with the next request, and a session keeps it', async () => {
  const [ada, bob] = await pair('member');
  expect(await people.refusal('GET', '/api/members', bob)).toEqual([403, 'role_required']);
  await people.ok('PUT', `/api/members/${bob.id}`, ada, { role: 'admin' });
  expect(await people.membersOf(bob)).toMatchObject([{ role: 'owner' }, { role: 'admin' }]);
  await people.ok('PUT', `/api/members/${bob.id}`, ada, { role: 'admin' });
  const { sql } = harness.database;
  const entries =
    await sql`SELECT before, after FROM audit_entries WHERE action = 'member.role' AND user_id = ${ada.id}`;
  expect([...entries]).toEqual([
    { before: { email: bob.email, role: 'member' }, after: { email: bob.email, role: 'admin' } },
  ]);
});

test.each(['finance', 'auditor'] as const)(
  'a member who becomes %s loses their proxy keys, and billing keys stay',
  async (role) => {
    const [ada, bob] = await pair('admin');
    const [own, of] = [await createKey(ada), await createKey(bob)];
    const billing = await people.ok<CreatedKey>('POST', '/api/billing-keys', bob, { name: 'erp' });
    // Another role that may have keys changes none of them.
    await people.ok('PUT', `/api/members/${bob.id}`, ada, { role: 'member', keys: 'transfer' });
    expect(await isRefused(of)).toBe(false);
    await people.ok('PUT', `/api/members/${bob.id}`, ada, { role });
    expect([await isRefused(of), await isRefused(own)]).toEqual([true, false]);
    expect((await api.call('GET', '/api/keys', { token: billing.key })).status).toBe(200);
    const [entry] = await harness.database.sql`
    SELECT after FROM audit_entries WHERE action = 'member.role' AND user_id = ${ada.id} ORDER BY id DESC LIMIT 1`;
    expect(entry?.after).toEqual({ email: bob.email, role, keysDeactivated: 1 });
  },
);

test('the one who changes a role can take over the keys, but not their own', async () => {
  const [ada, bob] = await pair('owner');
  const of = await createKey(bob);
  await people.ok('PUT', `/api/members/${bob.id}`, ada, { role: 'auditor', keys: 'transfer' });
  expect(await isRefused(of)).toBe(false);
  const [key] = await harness.database.sql`SELECT created_by FROM api_keys WHERE prefix = ${of.key.slice(0, 11)}`;
  expect(key?.created_by).toBe(String(ada.id));
  await people.ok('PUT', `/api/members/${bob.id}`, ada, { role: 'owner' });
  const self = await api.call('PUT', `/api/members/${ada.id}`, {
    token: ada.token,
    body: { role: 'finance', keys: 'transfer' },
  });
  expect([self.status, self.error?.code]).toEqual([400, 'invalid_parameter']);
  expect(await isRefused(of)).toBe(false);
});

test('only owners make owners, and change, demote or remove them', async () => {
  const [ada, bob] = await pair('admin');
  const carol = await people.sign();
  await people.join(ada, carol, 'member');
  const refused = [403, 'role_required'];
  expect(await people.refusal('PUT', `/api/members/${carol.id}`, bob, { role: 'owner' })).toEqual(refused);
  expect(await people.refusal('PUT', `/api/members/${ada.id}`, bob, { role: 'member' })).toEqual(refused);
  expect(await people.refusal('DELETE', `/api/members/${ada.id}`, bob)).toEqual(refused);
  await people.ok('PUT', `/api/members/${carol.id}`, ada, { role: 'owner' });
  await people.ok('PUT', `/api/members/${ada.id}`, carol, { role: 'auditor' });
  await people.ok('DELETE', `/api/members/${ada.id}`, carol);
  expect((await people.membersOf(carol)).map(({ id }) => id)).toEqual([bob.id, carol.id]);
});

test('the last owner can neither leave nor lose the role, also where two owners demote each other at once', async () => {
  const [ada, bob] = await pair('owner');
  const demote = (by: Person, who: Person) =>
    api.call('PUT', `/api/members/${who.id}`, { token: by.token, body: { role: 'member' } });
  const both = await Promise.all([demote(ada, bob), demote(bob, ada)]);
  // The loser was an owner when they were admitted, and is none any more.
  expect(both.map(({ status, error }) => error?.code ?? status).toSorted()).toEqual([204, 'role_required']);
  const owner = both[0]?.status === 204 ? ada : bob;
  expect((await people.membersOf(owner)).filter(({ role }) => role === 'owner').map(({ id }) => id)).toEqual([
    owner.id,
  ]);
  expect(await people.refusal('PUT', `/api/members/${owner.id}`, owner, { role: 'admin' })).toEqual([
    409,
    'last_owner',
  ]);
  expect(await people.refusal('DELETE', `/api/members/${owner.id}`, owner)).toEqual([409, 'last_owner']);
});

test.each(['admin', 'finance', 'member', 'auditor'] as const)(
  'a %s can leave, and comes back only by invitation',
  async (role) => {
    const [ada, bob] = await pair(role);
    const { id } = await people.organizationOf(bob);
    await people.ok('DELETE', `/api/members/${bob.id}`, bob);
    expect(await people.refusal('GET', '/api/balance', bob)).toEqual([401, 'invalid_token']);
    const home = { ...bob, token: await logIn(api, bob.email, goodPassword) };
    expect(await people.organizationOf(home)).toMatchObject({ name: bob.email, role: 'owner' });
    expect(await people.refusal('POST', '/api/auth/switch', home, { organizationId: id })).toEqual([404, 'not_found']);
    await people.join(ada, home, 'finance');
    expect(await people.organizationOf(home)).toMatchObject({ id, role: 'finance' });
  },
);

test.each(['finance', 'member', 'auditor'] as const)('a %s removes no one else, and is told who may', async (role) => {
  const [ada, bob] = await pair(role);
  expect(await people.refusal('DELETE', `/api/members/${ada.id}`, bob)).toEqual([403, 'role_required']);
  expect(await people.refusal('DELETE', '/api/members/999999999', bob)).toEqual([403, 'role_required']);
});

/** On a busy machine, the wait for the lock that others hold may take longer than a caller waits. */
async function remove(person: Person, by: Person): Promise<void> {
  for (;;) {
    const { status } = await api.call('DELETE', `/api/members/${person.id}`, { token: by.token });
    if (status === 503) continue;
    // Recorded by the call before, although it was answered with 503.
    expect([204, 404]).toContain(status);
    return;
  }
}

describe('a member who is removed', () => {
  test('has no session in the organization any more, and keeps those in others', async () => {
    const [ada, bob] = await pair('admin');
    const elsewhere = { ...bob, token: await logIn(api, bob.email, goodPassword) };
    const { organizations } = await people.ok<Organizations>('GET', '/api/organizations', elsewhere);
    const home = organizations.find(({ role }) => role === 'owner');
    await people.switchTo(elsewhere, home?.id ?? 0);
    const { body } = await api.call<{ refreshToken: string }>('POST', '/api/auth/login', {
      body: { email: bob.email, password: goodPassword },
    });
    await people.ok('DELETE', `/api/members/${bob.id}`, ada);
    expect(await people.refusal('GET', '/api/balance', bob)).toEqual([401, 'invalid_token']);
    expect((await people.organizationOf(elsewhere)).id).toBe(home?.id ?? 0);
    // It was begun in the organization that was left last, which is the home.
    expect((await api.call('POST', '/api/auth/refresh', { body: { refreshToken: body.refreshToken } })).status).toBe(
      200,
    );
  });

  test('has keys that every proxy refuses when the call returns, and billing keys stay', async () => {
    const [ada, bob] = await pair('admin');
    const [own, of] = [await createKey(ada), await createKey(bob)];
    const billing = await people.ok<CreatedKey>('POST', '/api/billing-keys', bob, { name: 'erp' });
    await people.ok('DELETE', `/api/members/${bob.id}`, ada);
    expect(await isRefused(of)).toBe(true);
    expect(await isRefused(own)).toBe(false);
    expect((await api.call('GET', '/api/keys', { token: billing.key })).status).toBe(200);
  });

  test('leaves keys to whoever removes them, if asked to', async () => {
    const [ada, bob] = await pair('member');
    const of = await createKey(bob);
    const { id: playground } = await people.ok<{ id: number }>('POST', '/api/playground-key', bob);
    await people.ok('DELETE', `/api/members/${bob.id}?keys=transfer`, ada);
    expect(await isRefused(of)).toBe(false);
    const { sql } = harness.database;
    expect([...(await sql`SELECT created_by FROM api_keys WHERE id = ${of.id}`)]).toEqual([
      { created_by: String(ada.id) },
    ]);
    expect([...(await sql`SELECT deleted_at IS NULL AS living FROM api_keys WHERE id = ${playground}`)]).toEqual([
      { living: false },
    ]);
    const [entry] =
      await sql`SELECT action, after FROM audit_entries WHERE user_id = ${ada.id} ORDER BY id DESC LIMIT 1`;
    expect(entry).toEqual({ action: 'member.remove', after: { keysTransferred: 1 } });
  });

  test('cannot give the keys to themselves by leaving', async () => {
    const [, bob] = await pair('admin');
    const refused = await people.refusal('DELETE', `/api/members/${bob.id}?keys=transfer`, bob);
    expect(refused).toEqual([400, 'invalid_parameter']);
    expect(await people.refusal('DELETE', `/api/members/${bob.id}?keys=keep`, bob)).toEqual([400, 'invalid_parameter']);
    expect(await people.membersOf(bob)).toHaveLength(2);
  });

  test('leaves no key that works, however many they create at that moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [ada, bob] = await pair('member');
      const creating = Array.from({ length: 5 }, (_, index) =>
        api.call('POST', '/api/proxy-keys', { token: bob.token, body: { name: `key ${index}` } }),
      );
      await Promise.all([...creating, remove(bob, ada)]);
      const [left] = await harness.database.sql`
        SELECT count(*)::int AS keys FROM api_keys WHERE created_by = ${bob.id} AND active AND deleted_at IS NULL`;
      expect(left?.keys).toBe(0);
    }
  });

  test('begins no session there by a log-in at that moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [ada, bob] = await pair('member');
      const { id } = await people.organizationOf(ada);
      await Promise.allSettled([
        logIn(api, bob.email, goodPassword),
        people.switchTo({ ...bob }, id),
        remove(bob, ada),
      ]);
      const [left] = await harness.database.sql`
        SELECT count(*)::int AS sessions FROM refresh_tokens
        WHERE user_id = ${bob.id} AND account_id = ${id} AND revoked_at IS NULL`;
      expect(left?.sessions).toBe(0);
    }
  });

  test('is told so by the stream of events', async () => {
    const [ada, bob] = await pair('auditor');
    const stream = await fetch(`${api.url}/api/events`, { headers: { authorization: `Bearer ${bob.token}` } });
    await people.ok('DELETE', `/api/members/${bob.id}`, ada);
    expect(await stream.text()).toContain('session_ended');
  });
});

test('a stream of events ends when the role changes, because it shows what the role may see', async () => {
  const [ada, bob] = await pair('auditor');
  const stream = await fetch(`${api.url}/api/events`, { headers: { authorization: `Bearer ${bob.token}` } });
  await people.ok('PUT', `/api/members/${bob.id}`, ada, { role: 'member' });
  expect(await stream.text()).toContain('session_ended');
});

test('whoever leaves the organization that was made for them gets an empty one', async () => {
  const [ada, bob] = await pair('owner');
  const { id } = await people.organizationOf(ada);
  await people.ok('PUT', '/api/settings/notifications', ada, { language: 'ru' });
  await people.ok('DELETE', `/api/members/${ada.id}`, ada);
  const home = { ...ada, token: await logIn(api, ada.email, goodPassword) };
  const fresh = await people.organizationOf(home);
  expect(fresh).toMatchObject({ name: ada.email, role: 'owner' });
  expect(fresh.id).not.toBe(id);
  expect(await people.ok('GET', '/api/settings/notifications', home)).toMatchObject({ language: 'ru' });
  expect(await people.organizationOf(bob)).toMatchObject({ id, name: bob.email, role: 'owner' });
  // Version 0.1.0 takes the user's account for theirs.
  const [user] = await harness.database.sql`SELECT account_id FROM users WHERE id = ${ada.id}`;
  expect(user).toEqual({ account_id: String(fresh.id) });
});

test('the owner for the longest time gets the mails of the organization', async () => {
  const [ada, bob] = await pair('owner');
  const { id } = await people.organizationOf(ada);
  const contact = async () =>
    (await harness.database.sql`SELECT contact_email FROM organizations WHERE id = ${id}`)[0]?.contact_email;
  expect(await contact()).toBe(ada.email);
  await people.ok('PUT', `/api/members/${ada.id}`, ada, { role: 'admin' });
  expect(await contact()).toBe(bob.email);
});
