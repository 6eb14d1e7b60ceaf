/** The allowed IP addresses, in the settings of the organization and in the dialog of a key. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { createMember } from '../harness/organization.ts';
import { confirm, heading, press, pressInRow } from './people.ts';

const path = '/organization?tab=settings';

describe.skipIf(!chromiumPath)('allowed IP addresses', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  test('of the organization are saved by its owner, who is warned of a list without their own', async () => {
    const page = await dashboard.openAs(await dashboard.harness.createCustomer({ usd: '5' }), path);
    const section = page.getByRole('region', { name: 'Allowed IP addresses' });
    const field = section.getByLabel('Addresses and networks');
    const apply = section.getByRole('button', { name: 'Apply' });
    await field.fill('203.0.113.0/24\n\n10.1.2.3/8');
    await apply.click();
    await section.getByText('“10.1.2.3/8” is not accepted.').waitFor();
    await field.fill('203.0.113.0/24, 2001:DB8::/32\n203.0.113.0/24');
    await apply.click();
    await section.getByText('The list does not include your own address, 127.0.0.1.').waitFor();
    expect(await field.inputValue()).toBe('203.0.113.0/24\n2001:db8::/32');
    expect(await section.getByText('is not accepted').count()).toBe(0);
    await field.fill('127.0.0.1');
    await apply.click();
    await section.getByText('The list does not include').waitFor({ state: 'detached' });
    await page.reload();
    await field.waitFor();
    expect(await field.inputValue()).toBe('127.0.0.1');
    dashboard.expectClean();
  });

  test('of the organization are seen by an admin, and not by a member', async () => {
    const { accountId } = await dashboard.harness.createCustomer({ usd: '5' });
    const { sql } = dashboard.harness.database;
    await sql`INSERT INTO organization_settings (account_id, allowed_ips) VALUES (${accountId}, '{203.0.113.7}')`;
    const admin = await dashboard.openAs(await createMember(dashboard.harness, { accountId, role: 'admin' }), path);
    const field = admin.getByLabel('Addresses and networks');
    await field.waitFor();
    expect([await field.inputValue(), await field.isDisabled()]).toEqual(['203.0.113.7', true]);
    const form = admin.locator('form', { has: field });
    expect(await form.getByRole('button', { name: 'Apply' }).count()).toBe(0);
    const member = await dashboard.openAs(await createMember(dashboard.harness, { accountId, role: 'member' }), path);
    await heading(member, 'General');
    expect(await member.getByText('Allowed IP addresses').count()).toBe(0);
    dashboard.expectClean();
  });

  test('of a key are chosen in its dialog, shown with its limits, and removed', async () => {
    const page = await dashboard.openAs(await dashboard.harness.createCustomer({ usd: '5' }), '/keys');
    const dialog = page.getByRole('dialog');
    const field = dialog.getByLabel('Allowed IP addresses');
    await pressInRow(page, /test/, 'Edit');
    await dialog.getByRole('button', { name: 'Set limits' }).click();
    await field.fill('203.0.113.7\nfe80::1/10');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('“fe80::1/10” is not accepted.').waitFor();
    await field.fill('203.0.113.7\nfe80::/10');
    await confirm(page, 'Save');
    await page.getByText('Certain IPs only').waitFor();
    await pressInRow(page, /test/, 'Edit');
    expect(await field.inputValue()).toBe('203.0.113.7\nfe80::/10');
    await field.fill('');
    await confirm(page, 'Save');
    await page.getByText('Certain IPs only').waitFor({ state: 'detached' });
    dashboard.expectClean();
  });

  test('of a key stay, like its limits, if a colleague sets them while someone renames the key', async () => {
    const { database } = dashboard.harness;
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    const page = await dashboard.openAs(owner, '/keys');
    const dialog = page.getByRole('dialog');
    await pressInRow(page, /test/, 'Edit');
    await dialog.getByLabel('Name').fill('renamed');
    await database.sql`
      UPDATE api_keys SET allowed_ips = '{203.0.113.7}', spend_limit_day_nano = 5000000000, expires_at = '2040-01-01'
      WHERE id = ${owner.proxyKeyId}`;
    await confirm(page, 'Save');
    await page.getByText('renamed').first().waitFor();
    const [key] = await database.sql`
      SELECT name, allowed_ips, spend_limit_day_nano::text, expires_at::date::text
      FROM api_keys WHERE id = ${owner.proxyKeyId}`;
    expect(key).toEqual({
      name: 'renamed',
      allowed_ips: ['203.0.113.7'],
      spend_limit_day_nano: '5000000000',
      expires_at: '2040-01-01',
    });
    dashboard.expectClean();
  });

  test('that leave out the browser are what the playground says its request was refused for', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    const { sql } = dashboard.harness.database;
    await sql`INSERT INTO organization_settings (account_id, allowed_ips) VALUES (${owner.accountId}, '{203.0.113.7}')`;
    const page = await dashboard.openAs(owner, '/playground?with=test/chat');
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello?');
    await press(page, 'Send');
    await page.getByText('Your address is not allowed').first().waitFor();
    await page.getByText('The request comes from 127.0.0.1,').first().waitFor();
  });
});
