/** Invitations: whom they let in, and as what; and every way in which a link does not work. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Role, roles } from '../../../../admin/auth/permissions.ts';
import { purgeInvitations } from '../../../../admin/workers/purge-expired.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { linkIn, mailsTo, newestToken } from '../mailbox.ts';
import { type Api, goodPassword, logIn, randomAddress, randomEmail, register, startApi } from '../start-api.ts';
import { type Invitation, type Organizations, People, type Person } from './people.ts';

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

const accept = (body: object, token?: string) =>
  people.refusal('POST', '/api/invitations/accept', { ...(token && { token }) }, body);
const preview = (token: string) =>
  api.call<object>('GET', `/api/invitations/preview?token=${encodeURIComponent(token)}`);
const listOf = async (person: Person) =>
  (await people.ok<{ invitations: Invitation[] }>('GET', '/api/invitations', person)).invitations;

test.each([...roles])('someone new joins as %s with a password, and has a verified address', async (role) => {
  const ada = await people.sign();
  const organization = await people.organizationOf(ada);
  const email = randomEmail();
  const link = await people.invite(ada, email, role);
  expect(await listOf(ada)).toMatchObject([{ email, role }]);
  expect((await preview(link)).body).toEqual({ organization: ada.email, email, role, hasAccount: false });
  const { session, token, ...bob } = await people.acceptAsNew(email, link);
  expect(session).toMatchObject({
    user: { email, role: 'customer' },
    organization: { id: organization.id, name: ada.email, role },
  });
  expect(await people.ok('GET', '/api/profile', { token })).toMatchObject({ email, emailVerified: true });
  expect((await people.membersOf(ada)).map(({ id, role }) => [id, role])).toEqual([
    [ada.id, 'owner'],
    [bob.id, role],
  ]);
  expect(await listOf(ada)).toEqual([]);
  // They have an organization of their own, too, and log in to the one they joined.
  const { organizations } = await people.ok<Organizations>('GET', '/api/organizations', { token });
  expect(organizations.map(({ name, role }) => [name, role])).toEqual([
    [ada.email, role],
    [email, 'owner'],
  ]);
  const again = await logIn(api, email, goodPassword);
  expect((await people.organizationOf({ ...bob, token: again })).id).toBe(organization.id);
});

test('someone with a user joins as that user, and is in the organization from then on', async () => {
  const [ada, bob] = [await people.sign(), await people.sign()];
  const link = await people.invite(ada, bob.email.toUpperCase(), 'finance');
  expect((await preview(link)).body).toMatchObject({ hasAccount: true });
  expect(await accept({ token: link, password: goodPassword })).toEqual([401, 'invalid_token']);
  const before = bob.token;
  const session = await people.accept(bob, link);
  expect(session).toMatchObject({ user: { id: bob.id }, organization: { role: 'finance' } });
  expect(await people.refusal('GET', '/api/balance', { token: before })).toEqual([401, 'invalid_token']);
});

test('the mail names who invites, to what and as what, in the language of the organization', async () => {
  const ada = await people.sign();
  await people.ok('PUT', '/api/organization', ada, { name: 'Romashka' });
  await people.ok('PUT', '/api/settings/notifications', ada, { language: 'ru' });
  const email = randomEmail();
  await people.invite(ada, email, 'auditor');
  const [mail] = await mailsTo(harness, email);
  expect(mail).toMatchObject({
    kind: 'invitation',
    language: 'ru',
    data: { organization: 'Romashka', invitedBy: ada.email, role: 'auditor' },
  });
  expect(linkIn(mail).url).toStartWith(`${api.config.publicUrl}/accept-invitation?token=`);
});

describe('a link', () => {
  const ways: [string, (ada: Person, email: string, link: string) => Promise<unknown>][] = [
    ['that was used', (_, email, link) => people.acceptAsNew(email, link)],
    ['whose address was invited again', (ada, email) => people.invite(ada, email.toUpperCase(), 'admin')],
    [
      'that was sent again',
      async (ada) => people.ok('POST', `/api/invitations/${(await listOf(ada))[0]?.id}/resend`, ada),
    ],
    ['that was revoked', async (ada) => people.ok('DELETE', `/api/invitations/${(await listOf(ada))[0]?.id}`, ada)],
    ['that has expired', () => harness.database.sql`UPDATE invitations SET expires_at = now() - interval '1 second'`],
    [
      'to an organization that was deleted',
      (ada) => people.ok('DELETE', '/api/account', ada, { current_password: goodPassword }),
    ],
  ];
  test.each(ways)('%s is refused, to look at and to accept', async (_, end) => {
    const ada = await people.sign();
    const email = randomEmail();
    const link = await people.invite(ada, email, 'member');
    await end(ada, email, link);
    const { status, error } = await preview(link);
    expect([status, error?.code]).toEqual([400, 'invitation_expired']);
    expect(await accept({ token: link, password: goodPassword })).toEqual([400, 'invitation_expired']);
  });

  test.each(['', 'x', 'f0Hq2vK9sXyLr7aWc3TnBz5UeMd1JgPo8QiVtYk4RhE', "' OR true --"])(
    '%j never was one',
    async (token) => {
      expect((await preview(token)).status).toBe(400);
      expect((await accept({ token, password: goodPassword }))[0]).toBe(400);
    },
  );

  test('lets in no one who is logged in with another address', async () => {
    const [ada, bob] = [await people.sign(), await people.sign()];
    const link = await people.invite(ada, randomEmail(), 'member');
    expect(await accept({ token: link }, bob.token)).toEqual([403, 'other_address']);
    expect(await people.membersOf(ada)).toHaveLength(1);
    expect((await preview(link)).status).toBe(200);
  });

  test.each([
    [undefined, 'missing_parameter'],
    ['short', 'invalid_parameter'],
    ['password1234', 'invalid_parameter'],
  ])('still works after the password %j was refused', async (password, code) => {
    const ada = await people.sign();
    const email = randomEmail();
    const link = await people.invite(ada, email, 'member');
    expect(await accept({ token: link, ...(password !== undefined && { password }) })).toEqual([400, code]);
    await people.acceptAsNew(email, link);
  });

  test('that is accepted many times at once makes one member', async () => {
    const ada = await people.sign();
    const email = randomEmail();
    const link = await people.invite(ada, email, 'member');
    const body = { token: link, password: goodPassword };
    const results = await Promise.all(
      Array.from({ length: 5 }, () => api.call('POST', '/api/invitations/accept', { body })),
    );
    expect(results.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(results.filter(({ status }) => status >= 500)).toEqual([]);
    expect(await people.membersOf(ada)).toHaveLength(2);
  });
});

test('a member is not invited again, also not by a link from before they joined', async () => {
  const [ada, bob] = [await people.sign(), await people.sign()];
  await people.join(ada, bob, 'member');
  const body = { email: bob.email.toUpperCase(), role: 'owner' };
  expect(await people.refusal('POST', '/api/invitations', ada, body)).toEqual([409, 'already_member']);
  const late = await people.invite(ada, randomEmail(), 'member');
  await harness.database
    .sql`UPDATE invitations SET email = ${bob.email} WHERE account_id = ${(await people.organizationOf(ada)).id}`;
  expect(await accept({ token: late }, bob.token)).toEqual([409, 'already_member']);
});

test('only owners invite owners, send them again and revoke their invitations', async () => {
  const [ada, bob] = [await people.sign(), await people.sign()];
  await people.join(ada, bob, 'admin');
  await people.invite(bob, randomEmail(), 'admin');
  const body = { email: randomEmail(), role: 'owner' };
  expect(await people.refusal('POST', '/api/invitations', bob, body)).toEqual([403, 'role_required']);
  await people.invite(ada, body.email, 'owner');
  const id = (await listOf(bob)).find(({ role }) => role === 'owner')?.id;
  expect(await people.refusal('POST', `/api/invitations/${id}/resend`, bob)).toEqual([403, 'role_required']);
  expect(await people.refusal('DELETE', `/api/invitations/${id}`, bob)).toEqual([403, 'role_required']);
});

test('an invitation of another organization is not found', async () => {
  const [ada, eve] = [await people.sign(), await people.sign()];
  const email = randomEmail();
  const link = await people.invite(ada, email, 'member');
  const [invitation] = await listOf(ada);
  const path = `/api/invitations/${invitation?.id}`;
  expect(await people.refusal('DELETE', path, eve)).toEqual([404, 'not_found']);
  expect(await people.refusal('POST', `${path}/resend`, eve)).toEqual([404, 'not_found']);
  expect(await newestToken(harness, email, 'invitation')).toBe(link);
});

test('who has not verified their own address invites no one', async () => {
  const eve = await register(api);
  const body = { email: randomEmail(), role: 'member' };
  expect(await people.refusal('POST', '/api/invitations', eve, body)).toEqual([403, 'email_not_verified']);
});

test('an address that was only signed up with is proved by the link, and other sessions end', async () => {
  const ada = await people.sign();
  const bob = await register(api);
  const stranger = await logIn(api, bob.email, goodPassword);
  const link = await people.invite(ada, bob.email, 'member');
  const session = await people.accept(bob, link);
  expect(await people.ok('GET', '/api/profile', { token: session.accessToken })).toMatchObject({ emailVerified: true });
  expect(await people.refusal('GET', '/api/profile', { token: stranger })).toEqual([401, 'invalid_token']);
});

test('a blocked organization lets no one in, and the link works when it is unblocked', async () => {
  const ada = await people.sign();
  const email = randomEmail();
  const link = await people.invite(ada, email, 'member');
  const { id } = await people.organizationOf(ada);
  await harness.database.sql`UPDATE accounts SET blocked_at = now() WHERE id = ${id}`;
  expect(await accept({ token: link, password: goodPassword })).toEqual([403, 'account_blocked']);
  await harness.database.sql`UPDATE accounts SET blocked_at = NULL WHERE id = ${id}`;
  await people.acceptAsNew(email, link);
});

test('a mailbox gets five invitations an hour, and an organization sends fifty a day', async () => {
  const ada = await people.sign();
  const [address, email] = [randomAddress(), randomEmail()];
  const ask = (to: string) =>
    api.call('POST', '/api/invitations', {
      token: ada.token,
      body: { email: to, role: 'member' satisfies Role },
      headers: { 'x-forwarded-for': address },
    });
  const toOne: number[] = [];
  for (let count = 0; count < 6; count += 1) toOne.push((await ask(email)).status);
  expect(toOne).toEqual([201, 201, 201, 201, 201, 429]);
  const others: number[] = [];
  for (let count = 0; count < 46; count += 1) others.push((await ask(randomEmail())).status);
  expect(others.filter((status) => status === 201)).toHaveLength(45);
  expect(others.at(-1)).toBe(429);
  // The one who was invited so often can still sign up.
  const signUp = await api.call('POST', '/api/auth/register', { body: { email, password: goodPassword } });
  expect(signUp.status).toBe(201);
});

test('an invitation that is not mailed does not count for its mailbox', async () => {
  const email = randomEmail();
  const stranger = await register(api);
  for (let count = 0; count < 6; count += 1)
    expect(await people.refusal('POST', '/api/invitations', stranger, { email, role: 'member' })).toEqual([
      403,
      'email_not_verified',
    ]);
  await people.invite(await people.sign(), email, 'member');
});

test('an invitation of an owner is replaced by owners only', async () => {
  const [ada, bob] = [await people.sign(), await people.sign()];
  await people.join(ada, bob, 'admin');
  const email = randomEmail();
  await people.invite(ada, email, 'owner');
  const replace = { email, role: 'auditor' };
  expect(await people.refusal('POST', '/api/invitations', bob, replace)).toEqual([403, 'role_required']);
  await people.ok('POST', '/api/invitations', ada, replace);
  await people.ok('POST', '/api/invitations', bob, { email, role: 'member' });
});

test('invitations that expired a month ago are purged, and no others', async () => {
  const ada = await people.sign();
  const [old, recent, open] = [randomEmail(), randomEmail(), randomEmail()];
  for (const email of [old, recent, open]) await people.invite(ada, email, 'member');
  const { sql } = harness.database;
  await sql`UPDATE invitations SET expires_at = now() - interval '31 days' WHERE email = ${old}`;
  await sql`UPDATE invitations SET expires_at = now() - interval '29 days' WHERE email = ${recent}`;
  await purgeInvitations(sql);
  expect((await listOf(ada)).map(({ email }) => email)).toEqual([recent, open]);
  await people.ok('POST', `/api/invitations/${(await listOf(ada))[0]?.id}/resend`, ada);
  await people.acceptAsNew(recent, await newestToken(harness, recent, 'invitation'));
});
