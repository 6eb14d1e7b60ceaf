/** What an organization sets for single sign-on, the domains that it proves in a real DNS server, and what is left of it all. */
import { describe, expect, test } from 'bun:test';
import { purgeSignIns } from '../../../../admin/workers/purge-expired.ts';
import { client as oidcClient } from '../../../harness/sign-in/identity-provider.ts';
import type { Someone } from '../second-factor/factor-client.ts';
import { goodPassword, randomEmail, register, startApi } from '../start-api.ts';
import {
  api,
  client,
  dashboard,
  dns,
  enter,
  harness,
  newPerson,
  oidcOf,
  organization,
  people,
  provider,
  type SignIn,
  settings,
  startForAllTests,
  testSettings,
} from './provider-and-gateway.ts';

startForAllTests();

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

  test('send a secret only to whom it was entered for', async () => {
    const { owner, domain } = await organization();
    const { clientSecret: _, ...settingsOf } = oidcOf([domain]);
    for (const change of [{ issuer: `${provider.issuer}/other` }, { clientId: 'another' }]) {
      const refused = await client.refusal('PUT', `${settings}/oidc`, owner, { ...settingsOf, ...change });
      expect(refused).toEqual([400, 'missing_parameter']);
    }
    await client.ok('PUT', `${settings}/oidc`, owner, settingsOf);
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
    // A domain that was removed has to be proven again.
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
