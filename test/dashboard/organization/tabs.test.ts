/** Several tabs of one browser, whose session moves to another organization, or gets another role. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { createMember, nameOrganization } from '../harness/organization.ts';
import { heading, press, shownOrganization, switchTo } from './people.ts';

describe.skipIf(!chromiumPath)('tabs of a member', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const joined = async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    await nameOrganization(dashboard.harness, owner.accountId, 'Acme');
    const member = await createMember(dashboard.harness, { accountId: owner.accountId, role: 'admin' });
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(member);
    return { owner, member, visitor };
  };
  const pathOf = (page: Page) => new URL(page.url()).pathname;

  test('all show the other organization after a switch in one of them', async () => {
    const { member, visitor } = await joined();
    const [first, second] = [await visitor.visit('/keys'), await visitor.visit('/transactions')];
    await second.getByText('Payment').first().waitFor();
    await switchTo(first, member.email);
    await shownOrganization(second, member.email);
    await heading(second, 'Overview');
    expect([first, second].map(pathOf)).toEqual(['/', '/']);
    await second.getByRole('link', { name: 'Transactions' }).click();
    await second.getByText('No transactions').waitFor();
    dashboard.expectClean();
  });

  test('repeat nothing in the other organization that was meant for the former one', async () => {
    const { member, visitor } = await joined();
    // One tab hears nothing of a switch in the other: neither from that tab, nor that its own session has ended.
    await visitor.context.route('**/api/events', (route) => route.fulfill({ status: 503 }));
    const [page, other] = [await visitor.visit('/organization'), await visitor.visit('/models')];
    await other.evaluate('BroadcastChannel.prototype.postMessage = () => {}');
    await press(page, 'Invite');
    await page.getByLabel('Email').fill('for-acme@example.com');
    await switchTo(other, member.email);
    await press(page, 'Send invitation');
    // The page that has sent it is gone by then.
    await heading(page, 'Overview');
    await shownOrganization(page, member.email);
    expect([...(await dashboard.harness.database.sql`SELECT email FROM invitations`)]).toEqual([]);
    dashboard.expectClean();
  });

  test('all show what another role may do, and all end with the membership', async () => {
    const { owner, member, visitor } = await joined();
    const tabs = [await visitor.visit('/models'), await visitor.visit('/profile')];
    const { sql } = dashboard.harness.database;
    const { accountId } = owner;
    for (const tab of tabs) await tab.getByRole('link', { name: 'Playground' }).waitFor();
    await sql`
      UPDATE memberships SET role = 'auditor' WHERE account_id = ${accountId} AND user_id = ${member.userId}`;
    for (const tab of tabs) await tab.getByRole('link', { name: 'Playground' }).waitFor({ state: 'detached' });
    await sql`DELETE FROM memberships WHERE account_id = ${accountId} AND user_id = ${member.userId}`;
    await sql`UPDATE refresh_tokens SET revoked_at = now() WHERE user_id = ${member.userId}`;
    for (const tab of tabs) await heading(tab, 'Sign in to your account');
    dashboard.expectClean();
  });
});
