/** The audit log on the page of the organization: what it lists, how it is filtered and exported, and who sees it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { createMember } from '../harness/organization.ts';
import { openSender } from '../harness/payments.ts';
import { press } from './people.ts';

const path = '/organization?tab=audit';

describe.skipIf(!chromiumPath)('the audit log of an organization', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  test('lists who changed what, is filtered by action, and is exported as CSV', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    const { send } = await openSender(dashboard.admin, owner);
    await send('POST', '/api/proxy-keys', { name: 'production' });
    const page = await dashboard.openAs(owner, '/organization?tab=settings');
    await page.getByLabel('Name').fill('Acme');
    await press(page, 'Save');
    await page.getByText('Saved').first().waitFor();
    await page.getByRole('tab', { name: 'Audit log' }).click();
    const [renamed, created] = [entry(page, 'Organization changed'), entry(page, 'Key created')];
    for (const row of [renamed, created]) await row.getByText(owner.email).first().waitFor();
    expect(await renamed.innerText()).toContain('name: Acme');
    expect(await created.innerText()).toContain('name: production');
    expect(await page.locator('tbody tr').allInnerTexts()).toHaveLength(2);
    expect(await page.locator('tbody tr').first().innerText()).toContain('Organization changed');
    await page.getByRole('combobox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'Key created', exact: true }).click();
    await renamed.waitFor({ state: 'detached' });
    await created.waitFor();
    expect(new URL(page.url()).search).toBe('?tab=audit&action=key.create');
    const [head, ...lines] = await exported(page);
    expect(head).toBe('id,at,actor,address,action,subject,reason,before,after');
    expect(lines).toEqual([expect.stringContaining(`${owner.email},`)]);
    dashboard.expectClean();
  });

  test('shows what support has done without naming the operator, and opens its details', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    const operator = await dashboard.harness.createCustomer({ usd: '0', role: 'operator' });
    const { send } = await openSender(dashboard.admin, operator);
    const limits = { requestsPerMinute: 5, reason: 'load test' };
    await send('PUT', `/api/operator/accounts/${owner.accountId}/limits`, limits);
    const page = await dashboard.openAs(owner, path);
    await entry(page, 'Limits changed').getByText('Support').waitFor();
    await press(page, 'Limits changed');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('load test').waitFor();
    expect(await dialog.innerText()).toContain('requestsPerMinute');
    expect(await page.locator('body').innerText()).not.toContain(operator.email);
    dashboard.expectClean();
  });

  test('is shown to an auditor, and not to a member', async () => {
    const { accountId } = await dashboard.harness.createCustomer({ usd: '5' });
    const tabsOf = async (role: 'auditor' | 'member') => {
      const page = await dashboard.openAs(await createMember(dashboard.harness, { accountId, role }), path);
      return page.getByRole('tab').allInnerTexts();
    };
    expect(await tabsOf('auditor')).toContain('Audit log');
    expect(await tabsOf('member')).not.toContain('Audit log');
    dashboard.expectClean();
  });
});

/** The row of the only entry of this action. */
const entry = (page: Page, action: string) => page.getByRole('row').filter({ hasText: action });

/** The lines of the file that the page exports. */
async function exported(page: Page): Promise<string[]> {
  const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Export CSV')]);
  expect(file.suggestedFilename()).toBe('audit-log.csv');
  return (await Bun.file(await file.path()).text()).trim().split('\r\n');
}
