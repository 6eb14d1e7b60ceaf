/** What an organization requires its members to sign in with: at once, in every session and stream; their keys go on. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type SignInRule, unmetRule } from '../../../../admin/auth/sign-in-rule.ts';
import { oidcProviders } from '../../../../admin/database/tables/sign-in.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { openEvents } from '../events/open-events.ts';
import { FactorClient, type Someone } from '../second-factor/factor-client.ts';
import { type Api, startApi } from '../start-api.ts';
import { People } from './people.ts';

let harness: Harness;
let api: Api;
let otherReplica: Api;
let people: People;
let client: FactorClient;
beforeAll(async () => {
  harness = await startHarness();
  [api, otherReplica] = [await startApi(harness), await startApi(harness)];
  people = new People(harness, api);
  client = new FactorClient(harness, api);
});
afterAll(async () => {
  await Promise.all([api.stop(), otherReplica.stop()]);
  await harness.stop();
});

const requireOf = (who: Someone, rule: SignInRule) =>
  client.ok<object>('PUT', '/api/organization/sign-in', who, { require: rule });

/** An owner with a second factor, and a member without one. */
async function pair(): Promise<[Someone, Someone]> {
  const [ada, bob] = [await client.someone(), await client.someone()];
  await client.confirm(ada);
  await client.addApp(ada);
  await people.join(ada, bob, 'member');
  return [ada, bob];
}

/** As if the session had begun at the identity provider of the organization. */
async function throughProvider(who: Someone, accountId: number): Promise<void> {
  await harness.database.sql`
    UPDATE refresh_tokens SET oidc_account_id = ${accountId} WHERE user_id = ${who.id} AND revoked_at IS NULL`;
}

test('members without a second factor keep only their profile, from the next request on, on every replica', async () => {
  const [ada, bob] = await pair();
  const events = await openEvents(otherReplica.url, bob.token);
  expect(await requireOf(ada, 'second_factor')).toMatchObject({ require: 'second_factor' });
  for (const replica of [api, otherReplica]) {
    const { status, error } = await replica.call('GET', '/api/balance', { token: bob.token });
    expect([status, error?.code]).toEqual([403, 'sign_in_rule']);
    expect(error?.message).toContain('Set up an authenticator app or a passkey');
    expect((await replica.call('GET', '/api/profile', { token: bob.token })).status).toBe(200);
    expect((await replica.call('GET', '/api/balance', { token: ada.token })).status).toBe(200);
  }
  expect(await events.next('end')).toMatchObject({ reason: 'session_ended' });
  const refreshed = await client.ok<{ organization: object }>('POST', '/api/auth/refresh', undefined, {
    refreshToken: (await people.switchTo(bob, (await mine(bob)).id)).refreshToken,
  });
  expect(refreshed.organization).toMatchObject({ unmetSignIn: 'second_factor' });
});

async function mine(who: Someone) {
  const { organizations } = await client.ok<{ organizations: { id: number; current: boolean }[] }>(
    'GET',
    '/api/organizations',
    who,
  );
  const current = organizations.find((each) => each.current);
  if (current === undefined) throw new Error('no organization is current');
  return current;
}

test('someone who sets up a second factor is let in, until they remove it', async () => {
  const [ada, bob] = await pair();
  await requireOf(ada, 'second_factor');
  await client.confirm(bob);
  await client.addApp(bob);
  expect((await client.call('GET', '/api/usage', bob)).status).toBe(200);
  expect((await people.membersOf(ada)).map(({ twoFactor }) => twoFactor)).toEqual([true, true]);
  await client.ok('DELETE', '/api/profile/second-factor/app', bob);
  expect(await client.refusal('GET', '/api/usage', bob)).toEqual([403, 'sign_in_rule']);
  await requireOf(ada, 'none');
  expect((await client.call('GET', '/api/usage', bob)).status).toBe(200);
});

test('API keys of members who are kept out go on', async () => {
  const [ada, bob] = await pair();
  const { key } = await client.ok<{ key: string }>('POST', '/api/proxy-keys', bob, { name: 'production' });
  await requireOf(ada, 'second_factor');
  expect(await client.refusal('GET', '/api/proxy-keys', bob)).toEqual([403, 'sign_in_rule']);
  const [row] = await harness.database.sql`SELECT active FROM api_keys WHERE prefix = ${key.slice(0, 11)}`;
  expect(row?.active).toBe(true);
});

test('nobody can lock themselves out, or require a provider that nobody has signed in with', async () => {
  const plain = await client.someone();
  const change = (who: Someone, rule: string) =>
    client.refusal('PUT', '/api/organization/sign-in', who, { require: rule });
  expect(await change(plain, 'second_factor')).toEqual([409, 'second_factor_missing']);
  const [ada, bob] = await pair();
  expect(await change(bob, 'none')).toEqual([403, 'role_required']);
  expect(await change(ada, 'sms')).toEqual([400, 'invalid_parameter']);
  expect(await change(ada, 'oidc')).toEqual([409, 'identity_provider_untested']);
  const accountId = (await mine(ada)).id;
  const provider = { accountId, issuer: 'https://id.example', clientId: 'gateway', sealedSecret: '' };
  await harness.database.db.insert(oidcProviders).values(provider);
  expect(await change(ada, 'oidc')).toEqual([409, 'identity_provider_untested']);
  await harness.database.sql`UPDATE oidc_providers SET tested_at = now() WHERE account_id = ${accountId}`;
  expect(await requireOf(ada, 'oidc')).toMatchObject({ require: 'oidc' });
});

test('a session that began at the provider satisfies both rules, also with refreshed tokens', async () => {
  const [ada, bob] = await pair();
  await requireOf(ada, 'second_factor');
  const { id } = await mine(bob);
  const { refreshToken } = await client.ok<{ refreshToken: string }>('POST', '/api/auth/switch', bob, {
    organizationId: id,
  });
  await throughProvider(bob, id);
  const refreshed = await client.ok<{ accessToken: string }>('POST', '/api/auth/refresh', undefined, { refreshToken });
  expect((await client.call('GET', '/api/usage', { token: refreshed.accessToken })).status).toBe(200);
});

describe('a session satisfies a rule', () => {
  const cases = (['none', 'second_factor', 'oidc'] as const).flatMap((rule) =>
    (['owner', 'admin', 'member'] as const).flatMap((role) =>
      [true, false].flatMap((hasFactor) =>
        [true, false].map((isProvider) => [rule, role, hasFactor, isProvider] as const),
      ),
    ),
  );
  test.each(cases)(
    '%s, as %s, with a factor: %p, through the provider: %p',
    async (rule, role, hasFactor, isProvider) => {
      const someone = await client.someone();
      const accountId = (await mine(someone)).id;
      if (isProvider) await throughProvider(someone, accountId);
      const { db, sql } = harness.database;
      const [session] = await sql<
        { family: string }[]
      >`SELECT family FROM refresh_tokens WHERE user_id = ${someone.id}`;
      const user = { secondFactorAt: hasFactor ? new Date() : null };
      const sessionId = session?.family ?? '';
      const unmet = await unmetRule(db, { user, sessionId, accountId, role, rule });
      const isMet = rule === 'none' || isProvider || (hasFactor && (rule === 'second_factor' || role === 'owner'));
      expect(unmet).toBe(isMet ? null : rule);
    },
  );
});
