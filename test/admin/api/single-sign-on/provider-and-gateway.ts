/** A gateway, a real identity provider and a real DNS server, and people who sign in. For all tests of a file. */
import { afterAll, afterEach, beforeAll, expect } from 'bun:test';
import type { Session } from '../../../../admin/api/auth/session.ts';
import type { signInSchema } from '../../../../admin/api/organizations/sign-in/sign-in-schemas.ts';
import { DnsServer } from '../../../harness/sign-in/dns-server.ts';
import {
  IdentityProvider,
  client as oidcClient,
  type ProviderPerson,
} from '../../../harness/sign-in/identity-provider.ts';
import { type Harness, startHarness } from '../../../harness.ts';
import { People } from '../organizations/people.ts';
import { FactorClient, type Someone } from '../second-factor/factor-client.ts';
import { type Api, startApi } from '../start-api.ts';
import { Browser } from './browser.ts';

export type SignIn = typeof signInSchema.static;

export let harness: Harness;
export let api: Api;
export let provider: IdentityProvider;
export let dns: DnsServer;
export let client: FactorClient;
export let people: People;
export const dashboard = 'http://gateway.test';

/** Called once by each test file. */
export function startForAllTests(): void {
  beforeAll(async () => {
    harness = await startHarness();
    dns = await DnsServer.start();
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
}

export const settings = '/api/organization/sign-in';

interface Organization {
  readonly owner: Someone;
  readonly id: number;
  readonly domain: string;
}

export const oidcOf = (domains: readonly string[]) => ({
  issuer: provider.issuer,
  clientId: oidcClient.id,
  clientSecret: oidcClient.secret,
  domains,
});

/** With a domain of its own, proven, and the provider. */
export async function organization(): Promise<Organization> {
  const owner = await client.someone();
  const domain = `d${crypto.randomUUID()}.example`;
  const { domains } = await client.ok<SignIn>('PUT', `${settings}/oidc`, owner, oidcOf([domain]));
  dns.records.set(domain, ['v=spf1 -all', domains[0]?.record ?? '']);
  await client.ok('POST', `${settings}/domains/${domain}/prove`, owner);
  const { id } = await people.organizationOf(owner);
  return { owner, id, domain };
}

export const newPerson = (domain: string, more: Partial<ProviderPerson> = {}): ProviderPerson => {
  const sub = crypto.randomUUID();
  return { sub, email: `${sub}@${domain}`, email_verified: true, name: 'Bo Ek', ...more };
};

/** The address of the dashboard at which the browser ends. The gateway's own pages are at another address in this test. */
export async function signIn(person: ProviderPerson, email: string, browser = new Browser()): Promise<URL> {
  provider.person = person;
  const begun = await api.call<{ url: string }>('POST', '/api/auth/oidc', { body: { email } });
  if (begun.status !== 200) throw new Error(`${begun.status} ${begun.error?.message}`);
  browser.keep(new URL(api.url).host, begun.headers);
  return travel(browser, begun.body.url);
}

export async function travel(browser: Browser, url: string): Promise<URL> {
  const callback = await browser.follow(url, (address) => address.startsWith(`${dashboard}/api/auth/oidc/callback`));
  return comeBack(browser, callback);
}

export async function comeBack(browser: Browser, callback: string): Promise<URL> {
  const response = await browser.get(callback.replace(dashboard, api.url));
  expect(response.status).toBe(303);
  return new URL(response.headers.get('location') ?? '');
}

export async function sessionOf(browser: Browser): Promise<Session> {
  const refreshToken = browser.cookie(new URL(api.url).host, 'gateway_refresh');
  const { status, body } = await api.call<Session>('POST', '/api/auth/refresh', { body: { refreshToken } });
  if (status !== 200) throw new Error(`no session: ${status}`);
  return body;
}

/** Signs in, and returns the session. */
export async function enter(person: ProviderPerson): Promise<Session> {
  const browser = new Browser();
  const at = await signIn(person, person.email ?? '', browser);
  expect(at.href).toBe(`${dashboard}/`);
  return sessionOf(browser);
}

export const failureOf = (at: URL) => [at.pathname, at.searchParams.get('error'), at.searchParams.get('reason')];

export async function testSettings(owner: Someone): Promise<URL> {
  const browser = new Browser();
  provider.person = { sub: 'the tester' };
  const begun = await api.call<{ url: string }>('POST', '/api/auth/oidc/test', { token: owner.token });
  browser.keep(new URL(api.url).host, begun.headers);
  return travel(browser, begun.body.url);
}
