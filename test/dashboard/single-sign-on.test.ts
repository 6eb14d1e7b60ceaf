/** Single sign-on in a browser, with a real identity provider and a real DNS server: how it is set up, used, required, and how it fails. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../harness/clients/browser.ts';
import type { Customer } from '../harness/customers.ts';
import { DnsServer } from '../harness/sign-in/dns-server.ts';
import { IdentityProvider, client as oidcClient, type ProviderPerson } from '../harness/sign-in/identity-provider.ts';
import { type Dashboard, startDashboard } from './harness/dashboard.ts';
import { createMember, nameOrganization, setSignInRule } from './harness/organization.ts';
import { openSender } from './harness/payments.ts';
import { seedApp } from './harness/second-factor.ts';
import { heading, press } from './second-factor/people.ts';

const tab = '/organization?tab=sign-in';
const declined = 'The identity provider did not sign you in.';

describe.skipIf(!chromiumPath)('single sign-on', () => {
  let dns: DnsServer;
  let dashboard: Dashboard;
  let provider: IdentityProvider;
  beforeAll(async () => {
    dns = await DnsServer.start();
    dashboard = await startDashboard({ adminEnvironment: { OIDC_ISSUERS: 'any', DNS_SERVER: dns.address } });
    provider = await IdentityProvider.start(`${dashboard.admin.url}/api/auth/oidc/callback`);
  });
  afterEach(() => {
    provider.declines = false;
  });
  afterAll(async () => {
    await dashboard?.[Symbol.asyncDispose]();
    await provider?.stop();
    await dns.stop();
  });

  const newDomain = () => `d${crypto.randomUUID()}.example`;
  const personOf = (email: string): ProviderPerson => ({ sub: crypto.randomUUID(), email, email_verified: true });
  const requirement = (page: Page) => page.getByRole('switch', { name: 'Require single sign-on' });
  const expectClean = () => dashboard.expectClean(provider.issuer);

  /** Of an owner who has set up the provider and proven the domain, which is returned. */
  const setUp = async (owner: Customer): Promise<string> => {
    const { send } = await openSender(dashboard.admin, owner);
    const path = '/api/organization/sign-in';
    const [domain, { id: clientId, secret: clientSecret }] = [newDomain(), oidcClient];
    const settings = { issuer: provider.issuer, clientId, clientSecret, domains: [domain] };
    const { domains } = await send<{ domains: { record: string }[] }>('PUT', `${path}/oidc`, settings);
    dns.records.set(domain, [domains[0]?.record ?? '']);
    await send('POST', `${path}/domains/${domain}/prove`, {});
    return domain;
  };

  test('is set up, proven, tested and required by an owner, and brings someone new in as a member', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    await nameOrganization(dashboard.harness, owner.accountId, 'Acme');
    const { recoveryCodes } = await seedApp(dashboard, owner);
    const page = await dashboard.openAs({ ...owner, code: recoveryCodes[0] ?? '' }, tab);
    const domain = newDomain();

    expect(await page.getByLabel('Redirect URI').inputValue()).toBe(`${dashboard.admin.url}/api/auth/oidc/callback`);
    await press(page, 'Save');
    await page.getByText('Enter the client secret').waitFor();
    await page.getByLabel('Issuer').fill(provider.issuer);
    await page.getByLabel('Client ID').fill(oidcClient.id);
    await page.getByLabel('Client secret').fill(oidcClient.secret);
    await page.getByRole('textbox', { name: 'Domains' }).fill(`${domain}\nno domain`);
    await press(page, 'Save');
    await page.getByText('Enter domains such as example.com').waitFor();
    await page.getByRole('textbox', { name: 'Domains' }).fill(domain);
    await press(page, 'Save');
    await page.getByText('Not tested').waitFor();
    expect(await page.getByLabel('Client secret').inputValue()).toBe('');
    expect(await requirement(page).isDisabled()).toBe(true);

    await press(page, `Check ${domain}`);
    await page.getByText('DNS does not have this record yet.').waitFor();
    dns.records.set(domain, [await page.getByLabel(`TXT record of ${domain}`).inputValue()]);
    await press(page, `Check ${domain}`);
    await page.getByText('Proven', { exact: true }).waitFor();

    provider.person = { sub: 'the owner' };
    await press(page, 'Test');
    await page.getByText('Tested on').waitFor();
    await requirement(page).click();
    await page.getByText('Single sign-on is now required.').waitFor();
    expect(await requirement(page).isChecked()).toBe(true);
    expect(await page.getByRole('switch', { name: 'Require two factors' }).isDisabled()).toBe(true);

    const newcomer = await dashboard.newVisitor();
    const [newPage, waiting] = [await newcomer.visit('/usage?by=key'), await newcomer.visit('/login')];
    const email = `bo@${domain}`;
    provider.person = personOf(email);
    await press(newPage, 'Use single sign-on');
    await newPage.getByLabel('Email').fill(email);
    await newPage.keyboard.press('Enter');
    await heading(newPage, 'Usage');
    expect(new URL(newPage.url()).search).toBe('?by=key');
    await heading(waiting, 'Overview');
    await page.goto(`${dashboard.admin.url}/organization`);
    const row = page.getByRole('table', { name: 'Members' }).getByRole('row', { name: email });
    await row.getByText('Member', { exact: true }).waitFor();
    expectClean();
  });

  test('keeps its secret when something else is changed, and is removed after a question', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '0' });
    const domain = await setUp(owner);
    const page = await dashboard.openAs(owner, tab);
    const other = newDomain();
    await page.getByRole('textbox', { name: 'Domains' }).fill(`${domain}\n${other}`);
    await press(page, 'Save');
    await page.getByText(other, { exact: true }).waitFor();
    expect(await page.getByRole('list', { name: 'Domains' }).getByText('Proven', { exact: true }).count()).toBe(1);
    provider.person = { sub: 'the owner' };
    await press(page, 'Test');
    await page.getByText('Tested on').waitFor();
    await requirement(page).click();
    await page.getByText('You have no second factor yet.').waitFor();
    expect(await requirement(page).isChecked()).toBe(false);
    await press(page, 'Remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove single sign-on' }).click();
    await page.getByText('Single sign-on is removed.').waitFor();
    await requirement(page).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Issuer').inputValue()).toBe('');
    expectClean();
  });

  test('that fails shows the reason at the log-in, and works with the address in the email field', async () => {
    const domain = await setUp(await dashboard.harness.createCustomer({ usd: '0' }));
    const page = await dashboard.openAs(undefined, '/keys');
    await page.getByLabel('Email').fill('bo@nobody.example');
    await press(page, 'Use single sign-on');
    await page.getByText('No organization has single sign-on for this address.').waitFor();
    provider.declines = true;
    provider.person = personOf(`bo@${domain}`);
    await page.getByLabel('Email').fill(`bo@${domain}`);
    await press(page, 'Continue');
    await page.getByText(declined).waitFor();
    expect(await page.getByText('Your session has ended').count()).toBe(0);
    provider.declines = false;
    provider.person = { ...provider.person, email_verified: false };
    await page.getByLabel('Email').fill(`bo@${domain}`);
    await press(page, 'Use single sign-on');
    await page.getByText('has not verified your email address').waitFor();
    provider.person = { ...provider.person, email_verified: true };
    await page.getByLabel('Email').fill(`bo@${domain}`);
    await press(page, 'Use single sign-on');
    await heading(page, 'Keys');
    expectClean();
  });

  test('shows only texts of its own, whatever the address says', async () => {
    const page = await dashboard.openAs(undefined, '/login?error=Call+us&reason=at+once');
    await page.getByRole('alert').getByText('Single sign-on did not work. Start again.').waitFor();
    expect(await page.getByText(/call us|at once/i).count()).toBe(0);
    expectClean();
  });

  test('whose test fails brings the owner back to the settings, which show the reason', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '0' });
    await setUp(owner);
    const page = await dashboard.openAs(owner, tab);
    provider.declines = true;
    await press(page, 'Test');
    await page.getByText(declined).waitFor();
    await page.getByText('Not tested').waitFor();
    expectClean();
  });

  test('that is required lets a member in who was held back, in each of their tabs', async () => {
    const { harness } = dashboard;
    const owner = await harness.createCustomer({ usd: '5' });
    const domain = await setUp(owner);
    const email = `bo@${domain}`;
    const member = await createMember(harness, { accountId: owner.accountId, role: 'admin', email });
    await setSignInRule(harness, owner.accountId, 'oidc');
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(member);
    const [page, other] = [await visitor.visit('/keys'), await visitor.visit('/usage')];
    await heading(page, 'Single sign-on required');
    provider.person = personOf(email);
    await press(page, 'Use single sign-on');
    await heading(page, 'Keys');
    await heading(other, 'Usage');
    expectClean();
  });
});
