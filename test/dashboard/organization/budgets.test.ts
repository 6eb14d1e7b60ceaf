/** The budgets on the page of the organization: what is done with them, what they show, and who sees which. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../../harness/clients/browser.ts';
import type { Customer } from '../../harness/customers.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { expectAudited } from '../harness/audit.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { createMember, nameOrganization, seedBudget, seedProject, seedProjectKey } from '../harness/organization.ts';
import { confirm, press, pressInRow } from './people.ts';

const path = '/organization?tab=budgets';

describe.skipIf(!chromiumPath)('budgets', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const usage = { promptTokens: 10, completionTokens: 5 };
    dashboard.provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage }));
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const openAs = (customer: Customer) => dashboard.openAs(customer, path);
  const ownerOf = async (name: string): Promise<Customer> => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    await nameOrganization(dashboard.harness, owner.accountId, name);
    return owner;
  };
  const sendRequest = async (key: string) => {
    const response = await fetch(`${dashboard.proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/chat', max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await response.text();
    return response.status;
  };

  test('are created for the organization, a project, a member and a key', async () => {
    const owner = await ownerOf('Acme');
    await seedProject(dashboard, owner, { name: 'Bot' });
    await seedProject(dashboard, owner, { name: 'Over', archived: true });
    const page = await openAs(owner);
    await page.getByText('No budgets yet').waitFor();
    await press(page, 'Create budget');
    await page.getByLabel('Amount, $').fill('50');
    await confirm(page, 'Create budget');
    await page.getByText('The monthly budget of “Acme” is created.').waitFor();

    await press(page, 'Create budget');
    await choose(page, 'Applies to', 'Project');
    expect(await offered(page, 'Project')).toEqual(['Bot']);
    await page.getByRole('option', { name: 'Bot' }).click();
    await choose(page, 'Period', 'Day');
    await page.getByLabel('Amount, $').fill('7.5');
    await page.getByLabel('50%').uncheck();
    await confirm(page, 'Create budget');

    await press(page, 'Create budget');
    await choose(page, 'Applies to', 'Member');
    await choose(page, 'Member', owner.email);
    await choose(page, 'Period', 'Week');
    await page.getByLabel('Amount, $').fill('1,000.00');
    for (const percent of ['50%', '80%', '100%']) await page.getByLabel(percent).uncheck();
    await confirm(page, 'Create budget');

    await press(page, 'Create budget');
    await choose(page, 'Applies to', 'Proxy key');
    expect(await page.getByLabel('50%').count()).toBe(0);
    await choose(page, 'Proxy key', 'test');
    await choose(page, 'Period', 'In total');
    await page.getByLabel('Amount, $').fill('3');
    await confirm(page, 'Create budget');

    await row(page, 'test').waitFor();
    expect(await cellsOf(page)).toEqual([
      ['Acme\nOrganization', 'Month', '$0.00 of $50.00\n0%', '50, 80, 100%'],
      ['Bot\nProject', 'Day', '$0.00 of $7.50\n0%', '80, 100%'],
      [`${owner.email}\nMember`, 'Week', '$0.00 of $1,000.00\n0%', '—'],
      ['test\nProxy key', 'In total', '$0.00 of $3.00\n0%', '—'],
    ]);
    const [month] = await dashboard.harness.database.sql<{ resets: Date }[]>`
      SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC' AS resets`;
    expect(await row(page, 'Acme').locator('time').getAttribute('datetime')).toBe(month?.resets.toISOString() ?? '');
    await row(page, 'test').getByText('Never').waitFor();
    dashboard.expectClean();
  });

  test('show what is wrong beside the field that it is about', async () => {
    const owner = await ownerOf('Acme');
    await seedBudget(dashboard, owner, { scope: 'organization', period: 'month', amount: '50' });
    const page = await openAs(owner);
    await press(page, 'Create budget');
    const submit = page.getByRole('dialog').getByRole('button', { name: 'Create budget' });
    const amount = (description: RegExp) => page.getByRole('textbox', { name: 'Amount, $', description }).waitFor();
    await submit.click();
    await amount(/Enter an amount such as/);
    await page.getByLabel('Amount, $').fill('0');
    await submit.click();
    await amount(/Enter an amount above 0/);
    await page.getByLabel('Amount, $').fill('9000001');
    await submit.click();
    await amount(/This amount is outside the limits/);

    await page.getByLabel('Amount, $').fill('60');
    await submit.click();
    const exists = page.getByRole('combobox', { name: 'Period', description: /There is a budget for this period/ });
    await exists.waitFor();
    await choose(page, 'Applies to', 'Member');
    await exists.waitFor({ state: 'detached' });
    await submit.click();
    await page.getByRole('combobox', { name: 'Member', description: /Choose a member/ }).waitFor();

    // It is deleted by someone else meanwhile.
    const projectId = await seedProject(dashboard, owner, { name: 'Bot' });
    await page.reload();
    await press(page, 'Create budget');
    await choose(page, 'Applies to', 'Project');
    await choose(page, 'Project', 'Bot');
    await page.getByLabel('Amount, $').fill('60');
    await dashboard.harness.database.sql`DELETE FROM projects WHERE id = ${projectId}`;
    await submit.click();
    await page.getByRole('combobox', { name: 'Project', description: /It does not exist any more/ }).waitFor();
    dashboard.expectClean();
  });

  test('are edited and deleted, those of keys with their limits', async () => {
    const owner = await ownerOf('Acme');
    const { proxyKeyId } = owner;
    await seedBudget(dashboard, owner, { scope: 'organization', period: 'week', amount: '50', alertsAt: [33, 80] });
    await seedBudget(dashboard, owner, { scope: 'key', scopeId: proxyKeyId, period: 'week', amount: '2' });
    const page = await openAs(owner);
    await pressInRow(page, /Acme/, 'Edit');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Acme · Week').waitFor();
    expect(await dialog.getByLabel('Amount, $').inputValue()).toBe('50');
    const checkboxes = dialog.getByRole('checkbox');
    const checked = await Promise.all((await checkboxes.all()).map((each) => each.isChecked()));
    // One of them is not among the usual ones.
    expect(checked).toEqual([true, false, true, false]);
    await dialog.getByLabel('Amount, $').fill('60.25');
    await dialog.getByLabel('33%').uncheck();
    await dialog.getByLabel('100%').check();
    await confirm(page, 'Save');
    await page.getByText('The weekly budget of “Acme” is saved.').waitFor();

    await pressInRow(page, /test/, 'Edit');
    expect(await checkboxes.count()).toBe(0);
    await dialog.getByLabel('Amount, $').fill('2.5');
    await confirm(page, 'Save');
    expect(await cellsOf(page)).toEqual([
      ['Acme\nOrganization', 'Week', '$0.00 of $60.25\n0%', '80, 100%'],
      ['test\nProxy key', 'Week', '$0.00 of $2.50\n0%', '—'],
    ]);
    const keys = await dashboard.openAs(owner, '/keys', 1);
    await keys.getByRole('row', { name: /test/ }).getByText('of $2.50').waitFor();

    await pressInRow(page, /Acme/, 'Delete');
    await page.getByRole('heading', { name: 'Delete the weekly budget of “Acme”?' }).waitFor();
    await confirm(page, 'Delete budget');
    await pressInRow(page, /test/, 'Delete');
    await confirm(page, 'Delete budget');
    await page.getByText('No budgets yet').waitFor();
    await keys.reload();
    await keys.getByRole('row', { name: /test/ }).waitFor();
    expect(await keys.getByText('of $2.50').count()).toBe(0);
    dashboard.expectClean();
  });

  test('show what is charged and reserved, and warn before nothing is left', async () => {
    const owner = await ownerOf('Acme');
    const projectId = await seedProject(dashboard, owner, { name: 'Bot' });
    const key = await seedProjectKey(dashboard, owner, { name: 'production', projectId });
    // A request costs $0.000015.
    await seedBudget(dashboard, owner, { scope: 'organization', period: 'month', amount: '50' });
    await seedBudget(dashboard, owner, { scope: 'project', scopeId: projectId, period: 'day', amount: '0.001' });
    const page = await openAs(owner);
    expect(await sendRequest(key)).toBe(200);
    await progress(page, 'Bot', '$0.000015 of $0.001').waitFor();
    await progress(page, 'Acme', '$0.000015 of $50.00').waitFor();
    await row(page, 'Bot').getByText('1%', { exact: true }).waitFor();

    await pressInRow(page, /Bot/, 'Edit');
    await page.getByLabel('Amount, $').fill('0.000018');
    await confirm(page, 'Save');
    await row(page, 'Bot').getByText('83%', { exact: true }).waitFor();
    await pressInRow(page, /Bot/, 'Edit');
    await page.getByLabel('Amount, $').fill('0.00001');
    await confirm(page, 'Save');
    await row(page, 'Bot').getByText('150%', { exact: true }).waitFor();
    expect(await row(page, 'Bot').getByRole('progressbar').getAttribute('aria-valuenow')).toBe('100');
    expect(await sendRequest(key)).toBe(403);
    await expectAudited(page);
    dashboard.expectClean();
  });

  test('are shown without buttons to those who manage none, and to a member those of their own keys', async () => {
    const owner = await ownerOf('Acme');
    const { accountId } = owner;
    const [own, other] = [
      await seedProject(dashboard, owner, { name: 'Own' }),
      await seedProject(dashboard, owner, { name: 'Other' }),
    ];
    const member = await createMember(dashboard.harness, { accountId, role: 'member' });
    const none = await openAs(await createMember(dashboard.harness, { accountId, role: 'member' }));
    await none.getByText('The budgets that apply to your keys appear here.').waitFor();
    await seedProjectKey(dashboard, owner, { name: 'production', projectId: own });
    await dashboard.harness.database.sql`
      UPDATE api_keys SET created_by = ${member.userId} WHERE account_id = ${accountId} AND name = 'production'`;
    for (const budget of [
      { scope: 'organization', period: 'month' },
      { scope: 'project', scopeId: own, period: 'day' },
      { scope: 'project', scopeId: other, period: 'day' },
      { scope: 'member', scopeId: member.userId, period: 'day' },
      { scope: 'member', scopeId: owner.userId, period: 'day' },
      { scope: 'key', scopeId: owner.proxyKeyId, period: 'day' },
    ]) {
      await seedBudget(dashboard, owner, { ...budget, amount: '5' });
    }
    const all = ['Acme', 'Other', 'Own', ...[member.email, owner.email].sort(), 'test'];
    const finance = await createMember(dashboard.harness, { accountId, role: 'finance' });
    const auditor = await createMember(dashboard.harness, { accountId, role: 'auditor' });
    for (const [person, names] of [
      [member, ['Acme', 'Own', member.email]],
      [finance, all],
      [auditor, all],
    ] as const) {
      const page = await openAs(person);
      await row(page, 'Acme').waitFor();
      expect((await cellsOf(page)).map(([name]) => name?.split('\n')[0])).toEqual([...names]);
      expect(await page.getByRole('tabpanel').getByRole('button').count()).toBe(0);
    }
    dashboard.expectClean();
  });
});

const table = (page: Page) => page.getByRole('table', { name: 'Budgets' });

const row = (page: Page, name: string) => table(page).getByRole('row').filter({ hasText: name });

const progress = (page: Page, name: string, text: string) =>
  row(page, name).locator(`[role=progressbar][aria-valuetext="${text}"]`);

/** Without those of when they begin again and of the buttons. */
async function cellsOf(page: Page): Promise<string[][]> {
  const rows = await table(page).locator('tbody tr').all();
  return Promise.all(
    rows.map(async (each) => {
      const texts = await each.getByRole('cell').allInnerTexts();
      return texts.slice(0, 4).map((text) => text.trim().replaceAll(/\n+/g, '\n'));
    }),
  );
}

const field = (page: Page, label: string) => page.getByRole('dialog').getByRole('combobox', { name: label });

async function choose(page: Page, label: string, option: string): Promise<void> {
  await field(page, label).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Opens the list. */
async function offered(page: Page, label: string): Promise<string[]> {
  await field(page, label).click();
  await page.getByRole('option').first().waitFor();
  return page.getByRole('option').allInnerTexts();
}
