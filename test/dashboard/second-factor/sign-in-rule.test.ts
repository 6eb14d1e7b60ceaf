/** What an organization requires to sign in with, in the tabs of its owner and of a member. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { SignInRule } from '../../../admin/auth/sign-in-rule.ts';
import { codeOf } from '../../admin/api/second-factor/factor-client.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { createMember, nameOrganization, setSignInRule } from '../harness/organization.ts';
import { seedApp } from '../harness/second-factor.ts';
import { entriesOf, switchTo } from '../organization/people.ts';
import { confirmByPassword, dialogOf, heading, press, secretOf, takeRecoveryCodes } from './people.ts';

const requirement = 'Two-factor authentication required';

describe.skipIf(!chromiumPath)('the sign-in rule of an organization', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  /** An owner with an app, who signs in with its code, and a member without one. */
  const people = async () => {
    const { harness } = dashboard;
    const owner = await harness.createCustomer({ usd: '5' });
    await nameOrganization(harness, owner.accountId, 'Acme');
    const member = await createMember(harness, { accountId: owner.accountId, role: 'admin' });
    const { recoveryCodes } = await seedApp(dashboard, owner);
    return { owner: { ...owner, code: recoveryCodes[0] ?? '' }, member };
  };
  const setRule = (accountId: number, rule: SignInRule) => setSignInRule(dashboard.harness, accountId, rule);
  const theSwitch = (page: Page) => page.getByRole('switch', { name: 'Require two factors' });

  test('is followed by every open tab of a member, who is let in again without a reload', async () => {
    const { owner, member } = await people();
    const membersVisit = await dashboard.newVisitor();
    await membersVisit.signIn(member);
    const tabs = [await membersVisit.visit('/keys'), await membersVisit.visit('/organization?tab=budgets')];
    const page = await dashboard.openAs(owner, '/organization?tab=sign-in');
    await page.getByText('1 member has no second factor').waitFor();
    await theSwitch(page).click();
    await page.getByText('Two factors are now required.').waitFor();
    expect(await theSwitch(page).isChecked()).toBe(true);
    for (const tab of tabs) await heading(tab, requirement);
    const [tab, other] = tabs as [Page, Page];
    expect(await entriesOf(tab)).toEqual(['Profile', 'API reference']);
    await tab.evaluate('globalThis.isSamePage = true');
    await tab.getByRole('link', { name: 'Set up in your profile' }).click();
    await heading(tab, 'Profile');
    await press(tab, 'Set up authenticator app');
    await confirmByPassword(tab);
    const dialog = dialogOf(tab, 'Set up authenticator app');
    await dialog.getByLabel('Code').fill(codeOf(await secretOf(tab)));
    await tab.keyboard.press('Enter');
    await takeRecoveryCodes(tab);
    await tab.getByRole('link', { name: 'Keys', exact: true }).click();
    await heading(tab, 'Keys');
    expect(await tab.evaluate('globalThis.isSamePage')).toBe(true);
    await other.getByRole('button', { name: 'Create budget' }).first().waitFor();
    await page.reload();
    await page.getByText('Every member has a second factor').waitFor();
    await page.getByRole('tab', { name: 'Members' }).click();
    await page.getByRole('table', { name: 'Members' }).getByText('On', { exact: true }).nth(1).waitFor();
    dashboard.expectClean();
  });

  test('is met by a refusal too, for a tab that gets no live events', async () => {
    const { owner, member } = await people();
    const membersVisit = await dashboard.newVisitor();
    await membersVisit.signIn(member);
    await membersVisit.context.route('**/api/events', (route) => route.fulfill({ status: 503 }));
    const page = await membersVisit.visit('/keys');
    await setRule(owner.accountId, 'second_factor');
    await page.getByRole('link', { name: 'Transactions' }).click();
    await heading(page, requirement);
    dashboard.expectClean();
  });

  test('leaves the way to another organization, and lets in again once it is withdrawn', async () => {
    const { owner, member } = await people();
    await setRule(owner.accountId, 'second_factor');
    const page = await dashboard.openAs(member, '/usage');
    await heading(page, requirement);
    await switchTo(page, member.email);
    await press(page, 'Switch organization');
    await page.getByRole('dialog').getByRole('button', { name: 'Acme' }).click();
    await heading(page, requirement);
    await setRule(owner.accountId, 'none');
    await page.evaluate('window.dispatchEvent(new Event("focus"))');
    await heading(page, 'Overview');
    dashboard.expectClean();
  });

  test('that only an identity provider satisfies leads to it, if the address has one', async () => {
    const { owner, member } = await people();
    await setRule(owner.accountId, 'oidc');
    const page = await dashboard.openAs(member, '/');
    await heading(page, 'Single sign-on required');
    await press(page, 'Use single sign-on');
    await page.getByText('No organization has single sign-on for this address.').waitFor();
    await heading(page, 'Single sign-on required');
    dashboard.expectClean();
  });

  test('cannot be set by an owner without a second factor, who is shown where to set up one', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const page = await dashboard.openAs(customer, '/organization?tab=sign-in');
    await theSwitch(page).click();
    await page.getByText('You have no second factor yet.').waitFor();
    expect(await theSwitch(page).isChecked()).toBe(false);
    await page.getByRole('link', { name: 'Set up yours in your profile' }).click();
    await page.getByRole('button', { name: 'Set up authenticator app' }).waitFor();
    dashboard.expectClean();
  });

  test('is neither shown to those who may not change it, nor at an address typed by hand', async () => {
    const { member } = await people();
    const page = await dashboard.openAs(member, '/organization?tab=sign-in');
    await page.getByRole('tab', { name: 'Members', selected: true }).waitFor();
    expect(await page.getByRole('tab', { name: 'Sign-in' }).count()).toBe(0);
    dashboard.expectClean();
  });
});
