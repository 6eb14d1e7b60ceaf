/** The projects on the page of the organization: what is done with them, and who sees which. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { createMember, nameOrganization, seedProject } from '../harness/organization.ts';
import { confirm, press, pressInRow } from './people.ts';

const path = '/organization?tab=projects';

describe.skipIf(!chromiumPath)('projects', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  test('are created and edited, each with a name of its own', async () => {
    const page = await dashboard.openAs(await dashboard.harness.createCustomer({ usd: '5' }), path);
    await page.getByText('No projects yet').waitFor();
    await press(page, 'Create project');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create project' }).click();
    await dialog.getByText('Enter a name').waitFor();
    await dialog.getByLabel('Name').fill(' Support bot ');
    await dialog.getByLabel('Description').fill('On the website\nand in the app');
    await dialog.getByLabel('Cost center').fill('CC-40');
    await confirm(page, 'Create project');
    expect(await cells(page, 'Support bot')).toEqual([
      'Support bot\nOn the website and in the app',
      'CC-40',
      '0',
      '$0.00',
      'Active',
    ]);

    await press(page, 'Create project');
    await dialog.getByLabel('Name').fill('SUPPORT BOT');
    await dialog.getByRole('button', { name: 'Create project' }).click();
    const name = dialog.getByRole('textbox', { name: 'Name', description: /There is a project of this name already/ });
    await name.fill('Search');
    await confirm(page, 'Create project');
    expect(await namesOf(page)).toEqual(['Search', 'Support bot']);

    await pressInRow(page, 'Support bot', 'Edit');
    await dialog.getByLabel('Name').fill('Bot');
    await dialog.getByLabel('Description').fill('');
    await dialog.getByLabel('Cost center').fill('');
    await confirm(page, 'Save');
    expect(await cells(page, 'Bot')).toEqual(['Bot', '—', '0', '$0.00', 'Active']);
    dashboard.expectClean();
  });

  test('are archived, which stops their keys, and restored', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    await seedProject(dashboard, owner, { name: 'Pilot', keyIds: [owner.proxyKeyId] });
    await seedProject(dashboard, owner, { name: 'Search' });
    const page = await dashboard.openAs(owner, path);
    const keys = await dashboard.openAs(owner, '/keys', 1);
    const key = keys.getByRole('row', { name: /test/ });
    await key.getByText('Active').waitFor();
    await pressInRow(page, 'Pilot', 'Archive');
    await page.getByRole('heading', { name: 'Archive “Pilot”?' }).waitFor();
    await page.getByText('1 key stops working immediately').waitFor();
    await confirm(page, 'Archive project');
    await row(page, 'Pilot').getByText('Archived').waitFor();
    // Archived ones are the last.
    expect(await namesOf(page)).toEqual(['Search', 'Pilot']);
    await keys.reload();
    await key.getByText('Project archived').waitFor();
    expect((await sendRequest(owner.proxyKey)).status).toBe(403);

    await pressInRow(page, 'Pilot', 'Restore');
    await row(page, 'Pilot').getByText('Active').waitFor();
    await keys.reload();
    await key.getByText('Active').waitFor();
    dashboard.expectClean();
  });

  const sendRequest = (key: string) =>
    fetch(`${dashboard.proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello' }] }),
    });

  test('are not restored while another one has their name', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    await seedProject(dashboard, owner, { name: 'Pilot', archived: true });
    await seedProject(dashboard, owner, { name: 'pilot' });
    const page = await dashboard.openAs(owner, path);
    await press(page, 'Restore');
    await page.getByRole('alert').getByText('There is a project of this name already').waitFor();
    await row(page, 'Archived').getByText('Pilot', { exact: true }).waitFor();
    dashboard.expectClean();
  });

  test('are all shown to finance and auditors, and to a member those of their own keys, without buttons', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    const { accountId, proxyKeyId } = owner;
    const { sql } = dashboard.harness.database;
    await nameOrganization(dashboard.harness, accountId, 'Acme');
    await seedProject(dashboard, owner, { name: 'Own', keyIds: [proxyKeyId] });
    await seedProject(dashboard, owner, { name: 'Other' });
    for (const [role, names] of [
      ['finance', ['Other', 'Own']],
      ['auditor', ['Other', 'Own']],
      ['member', ['Own']],
    ] as const) {
      const person = await createMember(dashboard.harness, { accountId, role });
      await sql`UPDATE api_keys SET created_by = ${person.userId} WHERE id = ${proxyKeyId}`;
      const page = await dashboard.openAs(person, path);
      expect([role, await namesOf(page)]).toEqual([role, [...names]]);
      expect([role, await page.getByRole('tabpanel').getByRole('button').count()]).toEqual([role, 0]);
    }
    dashboard.expectClean();
  });
});

const table = (page: Page) => page.getByRole('table', { name: 'Projects' });

const row = (page: Page, name: string) => table(page).getByRole('row').filter({ hasText: name });

/** Without that of the buttons. */
async function cells(page: Page, name: string): Promise<string[]> {
  const texts = await row(page, name).getByRole('cell').allInnerTexts();
  return texts.slice(0, 5).map((text) => text.trim().replaceAll(/\n+/g, '\n'));
}

async function namesOf(page: Page): Promise<string[]> {
  const texts = await table(page).locator('tbody td:first-child').allInnerTexts();
  return texts.map((text) => text.split('\n')[0]?.trim() ?? '');
}
