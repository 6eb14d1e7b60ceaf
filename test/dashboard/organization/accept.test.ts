/** The page behind the link of an invitation, for people who have an account. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../../harness/clients/browser.ts';
import type { Customer } from '../../harness/customers.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { nameOrganization, seedInvitation } from '../harness/organization.ts';
import { entriesOf, heading, logIn, press, shownOrganization } from './people.ts';

describe.skipIf(!chromiumPath)('an invitation', () => {
  let dashboard: Dashboard;
  let owner: Customer;
  beforeAll(async () => {
    dashboard = await startDashboard();
    owner = await dashboard.harness.createCustomer({ usd: '5' });
    await nameOrganization(dashboard.harness, owner.accountId, 'Acme');
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  /** The path of the link. */
  const inviting = async (email: string, days?: number) => {
    const token = crypto.randomUUID();
    const invitation = { accountId: owner.accountId, invitedBy: owner.userId, email, token, role: 'auditor' } as const;
    await seedInvitation(dashboard.harness, { ...invitation, ...(days !== undefined && { days }) });
    return `/accept-invitation?token=${token}`;
  };
  const customer = () => dashboard.harness.createCustomer({ usd: '0' });
  const expectJoined = async (page: Page) => {
    await shownOrganization(page, 'Acme');
    await heading(page, 'Overview');
    expect(new URL(page.url()).pathname).toBe('/');
    expect(await entriesOf(page)).not.toContain('Playground');
  };

  test('is accepted with one button by whoever is signed in with its address', async () => {
    const { email } = await customer();
    const page = await dashboard.openAs({ email }, await inviting(email.toUpperCase()));
    await heading(page, 'Join Acme');
    expect(await page.getByLabel('Password').count()).toBe(0);
    await press(page, 'Join');
    await expectJoined(page);
    dashboard.expectClean();
  });

  test('leads someone who has an account to the log-in, and from there back', async () => {
    const { email } = await customer();
    const page = await dashboard.openAs(undefined, await inviting(email));
    await page.getByRole('link', { name: 'Sign in' }).click();
    await logIn(page, email);
    await heading(page, 'Join Acme');
    await press(page, 'Join');
    await expectJoined(page);
    dashboard.expectClean();
  });

  test('says so to whoever is signed in with another address, and continues after they sign out', async () => {
    const [invited, other] = [await customer(), await customer()];
    const page = await dashboard.openAs(other, await inviting(invited.email));
    await page.getByText(`You are signed in as ${other.email}.`).waitFor();
    expect(await page.getByRole('button', { name: 'Join' }).count()).toBe(0);
    await press(page, 'Sign out');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await logIn(page, invited.email);
    await press(page, 'Join');
    await expectJoined(page);
    dashboard.expectClean();
  });

  test('is refused once it has expired, and without a token', async () => {
    const page = await dashboard.openAs(undefined, await inviting('late@example.com', -1));
    await page.getByText('This invitation is no longer valid. Ask for a new one.').waitFor();
    await page.goto(`${dashboard.admin.url}/accept-invitation`);
    await page.getByText('This address is incomplete.').waitFor();
    dashboard.expectClean();
  });

  test('that is revoked while its page is open says so when it is accepted', async () => {
    const { email } = await customer();
    const page = await dashboard.openAs({ email }, await inviting(email));
    await heading(page, 'Join Acme');
    await dashboard.harness.database.sql`DELETE FROM invitations WHERE email = ${email}`;
    await press(page, 'Join');
    await page.getByText('This invitation is no longer valid.').waitFor();
    dashboard.expectClean();
  });
});
