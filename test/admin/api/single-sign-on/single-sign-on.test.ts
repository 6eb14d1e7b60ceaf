/** Single sign-on with a real identity provider and a real DNS server: who gets in, as whom, and everything that can go wrong. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Session } from '../../../../admin/api/auth/session.ts';
import type { signInSchema } from '../../../../admin/api/organizations/sign-in/sign-in-schemas.ts';
import { purgeSignIns } from '../../../../admin/workers/purge-expired.ts';
import { testPassword } from '../../../harness/customers.ts';
import { DnsServer } from '../../../harness/sign-in/dns-server.ts';
import {
  IdentityProvider,
  client as oidcClient,
  type ProviderPerson,
} from '../../../harness/sign-in/identity-provider.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { People } from '../organizations/people.ts';
import { FactorClient, type Factors, type Someone } from '../second-factor/factor-client.ts';
import { type Api, goodPassword, logIn, randomEmail, register, startApi } from '../start-api.ts';
import { Browser } from './browser.ts';

type SignIn = typeof signInSchema.static;

let harness: Harness;
let api: Api;
let provider: IdentityProvider;
const dns = new DnsServer();
let client: FactorClient;
let people: People;
const dashboard = 'http://gateway.test';
beforeAll(async () => {
  harness = await startHarness();
  await dns.start();
  api = await startApi(harness, {
    environment: { OIDC_ISSUERS: 'any', DNS_SERVER: dns.address, PUBLIC_URL: dashboard },
  });
  provider = await IdentityProvider.start(`${dashboard}/api/auth/oidc/callback`);
  client = new FactorClient(harness, api);
  people = new People(harness, api);
});
afterEach(() => {
  provider.tampering = undefined;
  provider.declines = false;
});
afterAll(async () => {
  await provider.stop();
  await dns.stop();
  await api.stop();
  await harness.stop();
});

const settings = '/api/organization/sign-in';

interface Organization {
  readonly owner: Someone;
  readonly id: number;
  readonly domain: string;
}

const oidcOf = (domains: readonly string[]) => ({
  issuer: provider.issuer,
  clientId: oidcClient.id,
  clientSecret: oidcClient.secret,
  domains,
});

/** With a domain of its own, proven, and the provider. */
async function organization(): Promise<Organization> {
  const owner = await client.someone();
  const domain = `d${crypto.randomUUID()}.example`;
  const { domains } = await client.ok<SignIn>('PUT', `${settings}/oidc`, owner, oidcOf([domain]));
  dns.records.set(domain, ['v=spf1 -all', domains[0]?.record ?? '']);
  await client.ok('POST', `${settings}/domains/${domain}/prove`, owner);
  const { id } = await people.organizationOf(owner);
  return { owner, id, domain };
}

const newPerson = (domain: string, more: Partial<ProviderPerson> = {}): ProviderPerson => {
  const sub = crypto.randomUUID();
  return { sub, email: `${sub}@${domain}`, email_verified: true, name: 'Bo Ek', ...more };
};

/** The address of the dashboard at which the browser ends. The gateway's own pages are at another address in this test. */
async function signIn(person: ProviderPerson, email: string, browser = new Browser()): Promise<URL> {
  provider.person = person;
  const begun = await api.call<{ url: string }>('POST', '/api/auth/oidc', { body: { email } });
  if (begun.status !== 200) throw new Error(`${begun.status} ${begun.error?.message}`);
  browser.keep(new URL(api.url).host, begun.headers);
  return travel(browser, begun.body.url);
}

async function travel(browser: Browser, url: string): Promise<URL> {
  const callback = await browser.follow(url, (address) => address.startsWith(`${dashboard}/api/auth/oidc/callback`));
  return comeBack(browser, callback);
}

async function comeBack(browser: Browser, callback: string): Promise<URL> {
  const response = await browser.get(callback.replace(dashboard, api.url));
  expect(response.status).toBe(303);
  return new URL(response.headers.get('location') ?? '');
}

async function sessionOf(browser: Browser): Promise<Session> {
  const refreshToken = browser.cookie(new URL(api.url).host, 'gateway_refresh');
  const { status, body } = await api.call<Session>('POST', '/api/auth/refresh', { body: { refreshToken } });
  if (status !== 200) throw new Error(`no session: ${status}`);
  return body;
}

/** Signs in, and returns the session. */
async function enter(person: ProviderPerson): Promise<Session> {
  const browser = new Browser();
  const at = await signIn(person, person.email ?? '', browser);
  expect(at.href).toBe(`${dashboard}/`);
  return sessionOf(browser);
}

const failureOf = (at: URL) => [at.pathname, at.searchParams.get('error'), at.searchParams.get('reason')];

async function testSettings(owner: Someone): Promise<URL> {
  const browser = new Browser();
  provider.person = { sub: 'the tester' };
  const begun = await api.call<{ url: string }>('POST', '/api/auth/oidc/test', { token: owner.token });
  browser.keep(new URL(api.url).host, begun.headers);
  return travel(browser, begun.body.url);
}

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

  test.each(['unproven', 'uncertain'])(
    'who is %s loses the second factors that the stranger had set up',
    async (ownership) => {
      const { domain } = await organization();
      const email = `mary@${domain}`;
      const { body } = await api.call<Session>('POST', '/api/auth/register', {
        body: { email, password: goodPassword },
      });
      const { id } = body.user;
      const stranger = { id, email, token: body.accessToken, refreshToken: body.refreshToken };
      await client.setOwnership(stranger, 'uncertain');
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
    },
  );

  test('accepts an invitation although that ends the second factors that were set up before', async () => {
    const { owner, id: organizationId } = await organization();
    const bo = await register(api);
    await client.setOwnership(bo, 'uncertain');
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
    await harness.database.sql`UPDATE oidc_sign_ins SET expires_at = now() WHERE used_at IS NULL`;
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

describe('the settings', () => {
  test('are read and changed by owners only, and never show the secret', async () => {
    const { owner, domain } = await organization();
    const shown = await client.ok<SignIn>('GET', settings, owner);
    expect(shown).toMatchObject({
      require: 'none',
      oidc: { issuer: provider.issuer, clientId: oidcClient.id, testedAt: null },
      redirectUri: `${dashboard}/api/auth/oidc/callback`,
      domains: [{ domain, provenAt: expect.any(String) }],
    });
    expect(JSON.stringify(shown)).not.toContain(oidcClient.secret);
    const rows = await harness.database.sql`SELECT * FROM oidc_providers`;
    expect(JSON.stringify(rows)).not.toContain(oidcClient.secret);
  });

  test.each<[string, object, string, string]>([
    ['no address', { issuer: 'login.example.com' }, 'invalid_parameter', 'issuer'],
    ['a script', { issuer: 'javascript:alert(1)' }, 'invalid_parameter', 'issuer'],
    ['a domain that is none', { domains: ['example'] }, 'invalid_parameter', 'domains[0]'],
    ['an address as a domain', { domains: ['a@example.com'] }, 'invalid_parameter', 'domains[0]'],
    [
      'too many domains',
      { domains: Array.from({ length: 21 }, (_, n) => `d${n}.example`) },
      'invalid_parameter',
      'domains',
    ],
    ['no secret', { clientSecret: undefined }, 'missing_parameter', 'clientSecret'],
    ['a provider that does not answer', { issuer: 'http://127.0.0.1:9' }, 'identity_provider_unavailable', 'issuer'],
  ])('refuse %s', async (_, change, code, param) => {
    const owner = await client.someone();
    const body = { ...oidcOf(['example.com']), ...change };
    const { error } = await client.call('PUT', `${settings}/oidc`, owner, body);
    expect([error?.code, error?.param]).toEqual([code, param]);
    expect((await client.ok<SignIn>('GET', settings, owner)).oidc).toBeNull();
  });

  test('refuse a provider that says that it is another issuer', async () => {
    const owner = await client.someone();
    provider.tampering = (path, answer) =>
      path === '/.well-known/openid-configuration' ? { ...answer, issuer: 'https://evil.example' } : answer;
    const refused = await client.refusal('PUT', `${settings}/oidc`, owner, oidcOf(['example.com']));
    expect(refused).toEqual([503, 'identity_provider_unavailable']);
  });

  test('have to be tested before the provider can be required, and again after they were changed', async () => {
    const { owner } = await organization();
    await client.confirm(owner);
    await client.addApp(owner);
    const requireIt = () => client.refusal('PUT', settings, owner, { require: 'oidc' });
    expect(await requireIt()).toEqual([409, 'identity_provider_untested']);
    expect((await testSettings(owner)).href).toBe(`${dashboard}/organization?tab=sign-in`);
    await client.ok('PUT', settings, owner, { require: 'oidc' });
    const { domains } = await client.ok<SignIn>('GET', settings, owner);
    const names = domains.map(({ domain }) => domain);
    const same = await client.ok<SignIn>('PUT', `${settings}/oidc`, owner, {
      ...oidcOf(names),
      clientSecret: undefined,
    });
    expect(same.oidc?.testedAt).toBeString();
    const changed = await client.ok<SignIn>('PUT', `${settings}/oidc`, owner, {
      ...oidcOf(names),
      clientSecret: 'new',
    });
    expect(changed.oidc?.testedAt).toBeNull();
    expect(changed.domains[0]?.provenAt).toBeString();
  });

  test('that require the provider let no password in but that of an owner with a second factor', async () => {
    const { domain, owner } = await organization();
    await client.confirm(owner);
    const { recoveryCodes } = await client.addApp(owner);
    const bob = await client.someone();
    await people.join(owner, bob, 'admin');
    await testSettings(owner);
    await client.ok('PUT', settings, owner, { require: 'oidc' });
    expect(await client.refusal('GET', '/api/usage', bob)).toEqual([403, 'sign_in_rule']);
    const person = newPerson(domain);
    const { accessToken: token } = await enter(person);
    expect((await api.call('GET', '/api/usage', { token })).status).toBe(200);
    const { challenge } = await client.begin(owner);
    const { body } = await client.answer(challenge, { code: recoveryCodes?.[0] });
    expect(body.organization.unmetSignIn).toBeNull();
    await client.ok('DELETE', `${settings}/oidc`, owner);
    expect(await client.ok<SignIn>('GET', settings, owner)).toMatchObject({ require: 'none', oidc: null, domains: [] });
    expect((await client.call('GET', '/api/usage', bob)).status).toBe(200);
    expect(await client.refusal('DELETE', `${settings}/oidc`, owner)).toEqual([404, 'not_found']);
  });

  test('at private addresses are refused where operators have not allowed them', async () => {
    const strict = await startApi(harness, { environment: { PUBLIC_URL: dashboard } });
    const owner = await client.someone();
    const codes: (string | undefined | null)[] = [];
    for (const issuer of [
      provider.issuer,
      'https://127.0.0.1',
      'https://10.0.0.1',
      'https://[::1]',
      'https://localhost',
    ]) {
      const body = { ...oidcOf(['example.com']), issuer };
      codes.push((await strict.call('PUT', `${settings}/oidc`, { token: owner.token, body })).error?.code);
    }
    await strict.stop();
    expect(new Set(codes)).toEqual(new Set(['identity_provider_unavailable']));
  });
});

describe('a domain', () => {
  test('is proven by its record only, and by one organization', async () => {
    const domain = `d${crypto.randomUUID()}.example`;
    const [one, other] = [await client.someone(), await client.someone()];
    const prove = (who: Someone) => client.refusal('POST', `${settings}/domains/${domain}/prove`, who);
    expect(await prove(one)).toEqual([404, 'not_found']);
    const records = [];
    for (const who of [one, other]) {
      const { domains } = await client.ok<SignIn>('PUT', `${settings}/oidc`, who, oidcOf([domain.toUpperCase()]));
      records.push(domains[0]?.record ?? '');
    }
    expect(await prove(one)).toEqual([409, 'domain_unproven']);
    dns.records.set(domain, [`${records[0]}x`, records[1] ?? '']);
    expect(await prove(one)).toEqual([409, 'domain_unproven']);
    dns.records.set(domain, records);
    await client.ok('POST', `${settings}/domains/${domain}/prove`, one);
    expect(await prove(other)).toEqual([409, 'domain_taken']);
    await client.ok('PUT', `${settings}/oidc`, one, oidcOf([]));
    await client.ok('POST', `${settings}/domains/${domain}/prove`, other);
    // Whoever removes a domain has to prove it again.
    const { domains } = await client.ok<SignIn>('PUT', `${settings}/oidc`, one, oidcOf([domain]));
    expect(domains[0]?.provenAt).toBeNull();
  });

  test('that is proven is in the audit log, once', async () => {
    const { owner, id, domain } = await organization();
    await client.ok('POST', `${settings}/domains/${domain}/prove`, owner);
    const entries = await harness.database.sql`
      SELECT actor, after FROM audit_entries WHERE account_id = ${id} AND after ? 'provenDomain'`;
    expect([...entries]).toEqual([{ actor: owner.email, after: { provenDomain: domain } }]);
  });

  test('that no organization has proven begins no sign-in', async () => {
    const body = { email: randomEmail() };
    const { status, error } = await api.call('POST', '/api/auth/oidc', { body });
    expect([status, error?.code]).toEqual([404, 'not_found']);
  });
});

test('nothing is left of people who are deleted, nor of their organization', async () => {
  const { domain, owner, id } = await organization();
  const { user } = await enter(newPerson(domain));
  const { sql } = harness.database;
  await client.ok('DELETE', '/api/account', owner, { current_password: goodPassword });
  const [left] = await sql`
    SELECT (SELECT count(*) FROM oidc_providers WHERE account_id = ${id})
      + (SELECT count(*) FROM organization_domains WHERE account_id = ${id})
      + (SELECT count(*) FROM oidc_identities WHERE account_id = ${id})
      + (SELECT count(*) FROM oidc_sign_ins WHERE account_id = ${id}) AS rows`;
  expect(left?.rows).toBe('0');
  expect(user.id).toBeNumber();
  await register(api);
});

test('sign-ins are purged once they have expired, whether they came back or not', async () => {
  const { domain, id } = await organization();
  await enter(newPerson(domain));
  await api.call('POST', '/api/auth/oidc', { body: { email: `anyone@${domain}` } });
  const { sql } = harness.database;
  const left = async () =>
    Number((await sql`SELECT count(*) AS count FROM oidc_sign_ins WHERE account_id = ${id}`)[0]?.count);
  await purgeSignIns(sql);
  expect(await left()).toBe(2);
  await sql`UPDATE oidc_sign_ins SET expires_at = now() - interval '1 second' WHERE account_id = ${id}`;
  await purgeSignIns(sql);
  expect(await left()).toBe(0);
});
