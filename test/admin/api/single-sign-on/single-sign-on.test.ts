/** Single sign-on with a real identity provider: who gets in, as whom, and everything that can go wrong. */
import { describe, expect, test } from 'bun:test';
import type { Session } from '../../../../admin/api/auth/session.ts';
import { testPassword } from '../../../harness/customers.ts';
import type { ProviderPerson } from '../../../harness/sign-in/identity-provider.ts';
import { openEvents } from '../events/open-events.ts';
import type { Factors } from '../second-factor/factor-client.ts';
import { goodPassword, logIn, register } from '../start-api.ts';
import { Browser } from './browser.ts';
import {
  api,
  client,
  comeBack,
  dashboard,
  enter,
  failureOf,
  harness,
  newPerson,
  organization,
  people,
  provider,
  signIn,
  startForAllTests,
} from './provider-and-gateway.ts';

startForAllTests();

describe('someone whom the provider signs in', () => {
  test('gets a user and joins as a member, and is the same person the next time, under whatever address', async () => {
    const { id, domain, owner } = await organization();
    const person = newPerson(domain);
    const first = await enter(person);
    expect(first.user).toMatchObject({ email: person.email, displayName: 'Bo Ek' });
    expect(first.organization).toMatchObject({ id, role: 'member', unmetSignIn: null });
    expect((await api.call('GET', '/api/usage', { token: first.accessToken })).status).toBe(200);
    const again = await enter({ ...person, email: `renamed-${person.email}` });
    expect(again.user.id).toBe(first.user.id);
    const joined = await harness.database.sql`
      SELECT actor FROM audit_entries WHERE action = 'member.join' AND account_id = ${id}`;
    expect([...joined]).toEqual([{ actor: person.email }]);
    expect((await people.membersOf(owner)).map(({ role }) => role)).toEqual(['owner', 'member']);
  });

  test('is the user of their verified address, who keeps their password and their own organization', async () => {
    const { id, domain } = await organization();
    const email = `ada@${domain}`;
    const { body } = await api.call<Session>('POST', '/api/auth/register', { body: { email, password: goodPassword } });
    await harness.database.sql`
      UPDATE users SET email_verified_at = now() WHERE id = ${body.user.id}`;
    await harness.database.sql`
      UPDATE accounts SET ownership = 'proven' WHERE id = ${body.organization.id}`;
    const session = await enter(newPerson(domain, { email }));
    expect(session.user.id).toBe(body.user.id);
    expect(session.organization.id).toBe(id);
    expect(await logIn(api, email, goodPassword)).toBeString();
  });

  test('takes over an address that a stranger signed up with, whose password and keys end', async () => {
    const { domain } = await organization();
    const email = `grace@${domain}`;
    const stranger = await api.call<Session>('POST', '/api/auth/register', { body: { email, password: goodPassword } });
    const session = await enter(newPerson(domain, { email }));
    expect(session.user.id).toBe(stranger.body.user.id);
    const refused = await api.call('POST', '/api/auth/login', { body: { email, password: goodPassword } });
    expect(refused.error?.code).toBe('invalid_credentials');
    const before = await api.call('GET', '/api/profile', { token: stranger.body.accessToken });
    expect(before.error?.code).toBe('invalid_token');
  });

  test.each([
    ['unproven', 0],
    ['uncertain', 1],
  ] as const)(
    'who is %s loses former second factors, and is told if they may be their own',
    async (ownership, told) => {
      const { domain } = await organization();
      const email = `mary@${domain}`;
      const { body } = await api.call<Session>('POST', '/api/auth/register', {
        body: { email, password: goodPassword },
      });
      const { id } = body.user;
      const stranger = { id, email, token: body.accessToken, refreshToken: body.refreshToken };
      await client.setOwnership(stranger, 'proven');
      await client.confirm(stranger);
      const { authenticator } = await client.addPasskey(stranger);
      await client.addApp(stranger);
      const prepared = await client.passkeyChallenge();
      await client.setOwnership(stranger, ownership);

      const mary = await enter(newPerson(domain, { email }));
      expect(mary.user.id).toBe(id);
      const passkey = authenticator.get(prepared.options, { origin: client.origin });
      expect((await client.answer(prepared.challenge, { passkey })).status).toBe(401);
      const factors = await client.ok<Factors>('GET', '/api/profile/second-factor', { token: mary.accessToken });
      expect(factors).toMatchObject({ appSince: null, passkeys: [], recoveryCodesLeft: 0 });
      const { sql } = harness.database;
      const mails = await sql`SELECT FROM mails WHERE recipient = ${email} AND data->>'change' = 'reset'`;
      const logged = await sql`
        SELECT FROM audit_entries WHERE subject = ${`user ${id}`} AND action = 'second_factor.reset'`;
      expect([mails.length, logged.length]).toEqual([told, told]);
    },
  );

  test('accepts an invitation although that ends the second factors that were set up before', async () => {
    const { owner, id: organizationId } = await organization();
    const bo = await register(api);
    await client.setOwnership(bo, 'proven');
    await client.confirm(bo);
    await client.addPasskey(bo);
    await client.setOwnership(bo, 'unproven');
    const token = await people.invite(owner, bo.email, 'finance');
    const session = await people.ok<Session>('POST', '/api/invitations/accept', bo, { token });
    expect(session.organization).toMatchObject({ id: organizationId, role: 'finance' });
  });

  test('who is an operator is none there, where an owner of the organization decides who they are', async () => {
    const { domain } = await organization();
    const email = `root@${domain}`;
    await harness.createCustomer({ usd: '0', email, role: 'operator' });
    const withPassword = await logIn(api, email, testPassword);
    expect((await api.call('GET', '/api/operator/accounts', { token: withPassword })).status).toBe(200);

    const { accessToken: token, user } = await enter(newPerson(domain, { email }));
    expect(user).toMatchObject({ email, role: 'customer' });
    expect((await api.call('GET', '/api/operator/accounts', { token })).error?.code).toBe('access_denied');
    expect((await api.call('GET', '/api/usage', { token })).status).toBe(200);
  });

  test('who is an operator keeps their event stream, which the role of a customer does not end', async () => {
    const { domain, id } = await organization();
    const email = `root@${domain}`;
    await harness.createCustomer({ usd: '0', email, role: 'operator' });
    const { accessToken: token } = await enter(newPerson(domain, { email }));
    const events = await openEvents(api.url, token);
    // Sessions were looked at twice since, for all streams together.
    for (const _ of [1, 2]) {
      const other = await enter(newPerson(domain));
      const ending = await openEvents(api.url, other.accessToken);
      await api.call('POST', '/api/auth/logout', { token: other.accessToken });
      await ending.next('end');
    }
    await harness.credit(id, '1');
    await events.next('balance');
    expect([events.ended(), events.received.filter(({ event }) => event === 'end')]).toEqual([false, []]);
    events.leave();
  });

  test('has the role of their invitation, which is used up', async () => {
    const { domain, owner } = await organization();
    const person = newPerson(domain);
    await people.invite(owner, person.email?.toUpperCase() ?? '', 'finance');
    expect((await enter(person)).organization.role).toBe('finance');
    const { invitations } = await client.ok<{ invitations: object[] }>('GET', '/api/invitations', owner);
    expect(invitations).toEqual([]);
  });

  test('is found by the address of the user information where the token has none', async () => {
    const { domain } = await organization();
    const session = await enter(newPerson(domain, { name: 'Only There' }));
    expect(session.user.displayName).toBe('Only There');
  });

  test('gets only into that organization, not into what else they belong to', async () => {
    const { domain } = await organization();
    const other = await organization();
    const person = newPerson(domain);
    const { accessToken: token, user } = await enter(person);
    const bo = { id: user.id, email: user.email, token };
    const { organizations } = await people.ok<{ organizations: { id: number; current: boolean }[] }>(
      'GET',
      '/api/organizations',
      bo,
    );
    const home = organizations.find(({ current }) => !current)?.id;
    const toHome = await people.refusal('POST', '/api/auth/switch', bo, { organizationId: home });
    expect(toHome).toEqual([403, 'other_organization']);
    const invitation = await people.invite(other.owner, bo.email, 'owner');
    const accepted = await people.refusal('POST', '/api/invitations/accept', bo, { token: invitation });
    expect(accepted).toEqual([403, 'other_organization']);
    expect((await api.call('GET', '/api/usage', { token })).status).toBe(200);
  });

  test('joins again after having been removed, unless the provider no longer knows them', async () => {
    const { domain, owner } = await organization();
    const person = newPerson(domain);
    const { accessToken: token, user } = await enter(person);
    await client.ok('DELETE', `/api/members/${user.id}`, owner);
    expect((await api.call('GET', '/api/usage', { token })).error?.code).toBe('invalid_token');
    expect((await enter(person)).user.id).toBe(user.id);
  });

  test('is created once by simultaneous sign-ins', async () => {
    const { domain } = await organization();
    const person = newPerson(domain);
    const sessions = await Promise.allSettled(Array.from({ length: 4 }, () => enter(person)));
    const ids = sessions.flatMap((each) => (each.status === 'fulfilled' ? [each.value.user.id] : []));
    expect(ids.length).toBeGreaterThan(0);
    expect(new Set([...ids, (await enter(person)).user.id]).size).toBe(1);
  });
});

describe('nobody gets in', () => {
  test.each<[string, Partial<ProviderPerson>, string]>([
    ['without an address', { email: undefined }, 'unverified'],
    ['with an address that is not verified', { email_verified: false }, 'unverified'],
    ['with an address of which nothing is said', { email_verified: undefined }, 'unverified'],
    ['with an address that is none', { email: 'bo' }, 'unverified'],
    ['with an address of another domain', { email: 'ceo@elsewhere.example' }, 'foreign_domain'],
    ['with an address of a subdomain', { email: 'bo@sub.DOMAIN' }, 'foreign_domain'],
  ])('%s', async (_, claims, reason) => {
    const { domain } = await organization();
    const person = { ...newPerson(domain), ...claims };
    if (claims.email === 'bo@sub.DOMAIN') person.email = `bo@sub.${domain}`;
    const browser = new Browser();
    const at = await signIn(person, `anyone@${domain}`, browser);
    expect(failureOf(at)).toEqual(['/login', 'sign_in_failed', reason]);
    expect(browser.cookie(new URL(api.url).host, 'gateway_refresh')).toBeUndefined();
  });

  test('whose address has a domain that only another organization has proven', async () => {
    const [one, other] = [await organization(), await organization()];
    const at = await signIn(newPerson(other.domain), `anyone@${one.domain}`);
    expect(failureOf(at)).toEqual(['/login', 'sign_in_failed', 'foreign_domain']);
  });

  test('who declines at the provider', async () => {
    const { domain } = await organization();
    provider.declines = true;
    expect(failureOf(await signIn(newPerson(domain), `anyone@${domain}`))).toEqual([
      '/login',
      'sign_in_failed',
      'refused',
    ]);
  });

  test('twice with one answer, with another state, in another browser, without a cookie, or too late', async () => {
    const { domain } = await organization();
    const begin = async () => {
      const browser = new Browser();
      provider.person = newPerson(domain);
      const begun = await api.call<{ url: string }>('POST', '/api/auth/oidc', { body: { email: `a@${domain}` } });
      browser.keep(new URL(api.url).host, begun.headers);
      const callback = await browser.follow(begun.body.url, (address) => address.startsWith(dashboard));
      return { browser, callback };
    };
    const again = ['/login', 'sign_in_failed', 'begin_again'];
    const once = await begin();
    expect((await comeBack(once.browser, once.callback)).pathname).toBe('/');
    expect(failureOf(await comeBack(once.browser, once.callback))).toEqual(again);
    const [mine, theirs] = [await begin(), await begin()];
    expect(failureOf(await comeBack(mine.browser, theirs.callback))).toEqual(again);
    expect(failureOf(await comeBack(new Browser(), mine.callback))).toEqual(again);
    const forged = mine.callback.replace(/state=[^&]+/, 'state=forged');
    expect(failureOf(await comeBack(mine.browser, forged))).toEqual(again);
    const late = await begin();
    await harness.database.sql`UPDATE oidc_sign_ins SET expires_at = now() - interval '1 second' WHERE used_at IS NULL`;
    expect(failureOf(await comeBack(late.browser, late.callback))).toEqual(again);
  });

  const nowSeconds = () => Math.floor(Date.now() / 1_000);
  const signed = (change: (claims: Record<string, unknown>) => object) => (answer: Record<string, unknown>) => ({
    ...answer,
    id_token: provider.withClaims(answer.id_token, change),
  });
  const partsOf = ({ id_token }: Record<string, unknown>) => String(id_token).split('.');
  const encoded = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const enterWith = async (change: (answer: Record<string, unknown>) => Record<string, unknown>) => {
    const { domain } = await organization();
    provider.tampering = (path, answer) => (path === '/token' ? change(answer) : answer);
    return signIn(newPerson(domain), `anyone@${domain}`);
  };

  test.each<[string, (claims: Record<string, unknown>) => object]>([
    ['for another client', (claims) => ({ ...claims, aud: 'another' })],
    ['of another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
    ['for another sign-in', (claims) => ({ ...claims, nonce: 'another' })],
    ['without a sign-in', ({ nonce: _, ...claims }) => claims],
    ['that has expired', (claims) => ({ ...claims, exp: nowSeconds() - 3_600 })],
    ['that expired two minutes ago', (claims) => ({ ...claims, exp: nowSeconds() - 120 })],
    ['that is not valid yet', (claims) => ({ ...claims, nbf: nowSeconds() + 3_600 })],
    ['without a subject', ({ sub: _, ...claims }) => claims],
  ])('with a token %s, although the provider has signed it', async (_, change) => {
    expect(failureOf(await enterWith(signed(change)))).toEqual(['/login', 'sign_in_failed', 'invalid']);
  });

  test.each<[string, (answer: Record<string, unknown>) => Record<string, unknown>]>([
    [
      'whose claims were changed',
      (answer) => {
        const [head, payload = '', signature] = partsOf(answer);
        const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
        return { ...answer, id_token: [head, encoded({ ...claims, sub: 'someone else' }), signature].join('.') };
      },
    ],
    ['without a signature', (answer) => ({ ...answer, id_token: `${partsOf(answer).slice(0, 2).join('.')}.` })],
    [
      'with the algorithm none',
      (answer) => ({ ...answer, id_token: `${encoded({ alg: 'none' })}.${partsOf(answer)[1]}.` }),
    ],
    ['that is missing', ({ id_token: _, ...answer }) => answer],
  ])('with a token %s', async (_, change) => {
    expect(failureOf(await enterWith(change))).toEqual(['/login', 'sign_in_failed', 'invalid']);
  });

  // So that the others are refused for what was changed.
  test.each<[string, (claims: Record<string, unknown>) => object]>([
    ['signed again', (claims) => claims],
    [
      'of a clock that is half a minute ahead',
      (claims) => ({ ...claims, iat: nowSeconds() + 30, nbf: nowSeconds() + 30 }),
    ],
    ['that expired half a minute ago', (claims) => ({ ...claims, exp: nowSeconds() - 30 })],
  ])('but with a token %s they do', async (_, change) => {
    expect((await enterWith(signed(change))).href).toBe(`${dashboard}/`);
  });

  test('whose token is signed by a key that the provider no longer has', async () => {
    const { domain } = await organization();
    const keys: unknown[] = [];
    provider.tampering = (path, answer) => {
      if (path === '/jwks') keys.push(answer.keys);
      return path === '/jwks' ? { keys: [] } : answer;
    };
    expect(failureOf(await signIn(newPerson(domain), `anyone@${domain}`))[2]).toBe('invalid');
    expect(keys).toHaveLength(1);
  });
});

test('a provider that has changed its key signs people in at once', async () => {
  const { domain } = await organization();
  const person = newPerson(domain);
  const { user } = await enter(person);
  provider.changeKey();
  expect((await enter(person)).user.id).toBe(user.id);
});
