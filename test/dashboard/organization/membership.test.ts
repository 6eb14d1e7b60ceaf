/** The whole life of a membership, in two browsers: invited, joined, switched, another role, removed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { type Dashboard, settled, startDashboard } from '../harness/dashboard.ts';
import { createMember, nameOrganization } from '../harness/organization.ts';
import { confirm, entriesOf, heading, logIn, press, pressInRow, shownOrganization, switchTo } from './people.ts';

describe.skipIf(!chromiumPath)('an organization', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const ownerOf = async (name: string) => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    await nameOrganization(dashboard.harness, owner.accountId, name);
    return owner;
  };

  test('invites someone new, who joins, switches, gets another role, and is removed', async () => {
    const email = 'vera@example.com';
    const office = await dashboard.openAs(await ownerOf('Acme'), '/organization');
    await press(office, 'Invite');
    await press(office, 'Send invitation');
    await office.getByText('Enter an email', { exact: true }).waitFor();
    await office.getByLabel('Email').fill(email);
    await confirm(office, 'Send invitation');
    await office.getByRole('table', { name: 'Pending invitations' }).getByRole('row', { name: email }).waitFor();

    const page = await (await dashboard.newVisitor()).visit(await dashboard.mailedPath(email));
    await heading(page, 'Join Acme');
    await page.getByText(`${email} is invited. Role: Member.`).waitFor();
    await page.getByLabel('Password', { exact: true }).fill('too short');
    await press(page, 'Join');
    await page.getByText('Use at least 12 characters').waitFor();
    await page.getByLabel('Password', { exact: true }).fill('a brand new pass phrase');
    await page.getByLabel('Name').fill('Vera');
    await press(page, 'Join');
    await shownOrganization(page, 'Acme');
    await heading(page, 'Overview');
    expect(new URL(page.url()).pathname).toBe('/');
    const ofMember = ['Overview', 'Keys', 'Models', 'Playground', 'Activity', 'Usage', 'Organization', 'Profile'];
    expect(await entriesOf(page)).toEqual([...ofMember, 'API reference']);

    await switchTo(page, email);
    expect(await entriesOf(page)).toContain('Billing');
    await switchTo(page, 'Acme');
    expect(await entriesOf(page)).not.toContain('Billing');

    await page.getByRole('link', { name: 'Organization' }).click();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await heading(page, 'Leave organization');
    await office.reload();
    await pressInRow(office, /Vera/, 'Change role');
    await office.getByRole('radio', { name: 'Auditor' }).check();
    await confirm(office, 'Change role');
    await office.getByRole('row', { name: /Vera/ }).getByText('Auditor').waitFor();
    // The member's tab, where nothing was pressed.
    await page.getByRole('link', { name: 'Billing' }).waitFor();
    await page.getByRole('tab', { name: 'Members' }).waitFor();
    expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0);

    await pressInRow(office, /Vera/, 'Remove');
    await heading(office, 'Remove Vera?');
    await confirm(office, 'Remove member');
    await office.getByRole('row', { name: /Vera/ }).waitFor({ state: 'detached' });
    await page.getByText('Your session has ended').waitFor();
    await logIn(page, email, 'a brand new pass phrase');
    await shownOrganization(page, email);
    dashboard.expectClean();
  });

  test('takes a page away from someone who loses the permission while it is open', async () => {
    const owner = await ownerOf('Hooli');
    const finance = await createMember(dashboard.harness, { accountId: owner.accountId, role: 'finance' });
    const page = await dashboard.openAs(finance, '/transactions', 1);
    const office = await dashboard.openAs(owner, '/organization');
    await pressInRow(office, finance.email, 'Change role');
    await office.getByRole('radio', { name: 'Member' }).check();
    await confirm(office, 'Change role');
    await heading(page, 'Page not found');
    dashboard.expectClean();
  });

  test('hands the keys of someone who is removed to whoever removes them, if asked to', async () => {
    const owner = await ownerOf('Initech');
    const { sql } = dashboard.harness.database;
    const member = await createMember(dashboard.harness, { accountId: owner.accountId, role: 'member' });
    await sql`UPDATE api_keys SET created_by = ${member.userId} WHERE id = ${owner.proxyKeyId}`;
    const office = await dashboard.openAs(owner, '/organization');
    await pressInRow(office, member.email, 'Remove');
    await office.getByRole('radio', { name: 'Take them over' }).check();
    await confirm(office, 'Remove member');
    const [key] = await sql`SELECT created_by, active FROM api_keys WHERE id = ${owner.proxyKeyId}`;
    expect(key).toEqual({ created_by: String(owner.userId), active: true });
    dashboard.expectClean();
  });

  test('hands over the keys of a member whose new role has none, if asked to', async () => {
    const owner = await ownerOf('Umbrella');
    const { sql } = dashboard.harness.database;
    const member = await createMember(dashboard.harness, { accountId: owner.accountId, role: 'member' });
    await sql`UPDATE api_keys SET created_by = ${member.userId} WHERE id = ${owner.proxyKeyId}`;
    const office = await dashboard.openAs(owner, '/organization');
    await pressInRow(office, member.email, 'Change role');
    const takeOver = office.getByRole('radio', { name: 'Take them over' });
    await office.getByRole('radio', { name: 'Admin' }).check();
    expect(await takeOver.count()).toBe(0);
    await office.getByRole('radio', { name: 'Finance' }).check();
    await takeOver.check();
    await confirm(office, 'Change role');
    const [key] = await sql`SELECT created_by, active FROM api_keys WHERE id = ${owner.proxyKeyId}`;
    expect(key).toEqual({ created_by: String(owner.userId), active: true });
    dashboard.expectClean();
  });

  test('keeps its last owner, and lets everyone else leave', async () => {
    const owner = await ownerOf('Globex');
    const member = await createMember(dashboard.harness, { accountId: owner.accountId, role: 'member' });
    const office = await dashboard.openAs(owner, '/organization');
    await pressInRow(office, owner.email, 'Leave');
    await office.getByRole('dialog').getByRole('button', { name: 'Leave organization' }).click();
    await office.getByText('This is the last owner of the organization').waitFor();
    const page = await dashboard.openAs(member, '/organization?tab=settings');
    await press(page, 'Leave organization');
    await page.getByRole('dialog').getByRole('button', { name: 'Leave organization' }).click();
    await page.getByText('You have left “Globex”').waitFor();
    await logIn(page, member.email);
    await shownOrganization(page, member.email);
    dashboard.expectClean();
  });

  test('sends an invitation again with a link in place of the former one, and revokes it', async () => {
    const email = 'again@example.com';
    const office = await dashboard.openAs(await ownerOf('Umbrella'), '/organization');
    await press(office, 'Invite');
    await office.getByLabel('Email').fill(email);
    await office.getByRole('radio', { name: 'Finance' }).check();
    await confirm(office, 'Send invitation');
    const first = await dashboard.mailedPath(email);
    await pressInRow(office, email, 'Send again');
    // The notice of the first one may still be shown.
    await waitFor('the other link', guardTimeoutMs, async () => (await dashboard.mailedPath(email)) !== first);
    const visitor = await dashboard.newVisitor();
    const page = await visitor.visit(first);
    await page.getByText('This invitation is no longer valid.').waitFor();
    await pressInRow(office, email, 'Revoke');
    await confirm(office, 'Revoke invitation');
    await office.getByText('Nobody is invited at the moment.').waitFor();
    dashboard.expectClean();
  });

  test('is renamed by its owner everywhere at once, and gets a time zone', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '0' });
    const page = await dashboard.openAs(owner, '/organization?tab=settings');
    const name = page.getByLabel('Name');
    const save = page.locator('form', { has: name }).getByRole('button', { name: 'Save' });
    await name.fill('see www.example.com');
    await save.click();
    await page.getByText('A name cannot have a link').waitFor();
    await name.fill('Ромашка');
    await page.getByLabel('Time zone').fill('Moscow');
    await page.getByRole('option', { name: 'Europe/Moscow' }).click();
    await save.click();
    await shownOrganization(page, 'Ромашка');
    await page.reload();
    await settled(page);
    expect([await name.inputValue(), await page.getByLabel('Time zone').inputValue()]).toEqual([
      'Ромашка',
      'Europe/Moscow',
    ]);
    dashboard.expectClean();
  });

  test('is created from the menu, and opened', async () => {
    const page = await dashboard.openAs(await dashboard.harness.createCustomer({ usd: '5' }), '/keys');
    await press(page, 'Switch organization');
    await press(page, 'Create organization');
    await page.getByLabel('Name').fill('Second');
    await press(page, 'Create');
    await shownOrganization(page, 'Second');
    // Nothing of the former one is shown.
    await page.getByRole('heading', { name: 'Create a key' }).waitFor();
    dashboard.expectClean();
  });
});
