/** What a project is for: keys are put into it, and usage is split by it, down to its requests. By member alike. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { expectAudited } from '../harness/audit.ts';
import { type Dashboard, settled, startDashboard } from '../harness/dashboard.ts';
import { createMember, seedProject, seedProjectKey } from '../harness/organization.ts';
import { confirm, press, pressInRow } from './people.ts';

describe.skipIf(!chromiumPath)('a project', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const usage = { promptTokens: 10, completionTokens: 5 };
    dashboard.provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage }));
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const sendRequest = async (key: string) => {
    const response = await fetch(`${dashboard.proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  };

  test('is chosen for a key when it is created and edited, unless it is archived', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    const page = await dashboard.openAs(owner, '/keys');
    await press(page, 'Create key');
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    expect(await projectField(page).count()).toBe(0);
    await seedProject(dashboard, owner, { name: 'Bot' });
    await seedProject(dashboard, owner, { name: 'Over', archived: true, keyIds: [owner.proxyKeyId] });
    await page.reload();

    await press(page, 'Create key');
    await page.getByRole('dialog').getByLabel('Name').fill('production');
    expect(await offeredProjects(page)).toEqual(['None', 'Bot']);
    await choose(page, 'Bot');
    await press(page, 'Create');
    await press(page, 'Done');
    const production = page.getByRole('row', { name: /production/ });
    await production.getByText('Bot').waitFor();

    await pressInRow(page, /production/, 'Edit');
    expect(await projectField(page).inputValue()).toBe('Bot');
    await projectField(page).click();
    await choose(page, 'None');
    await confirm(page, 'Save');
    await production.getByText('Bot').waitFor({ state: 'detached' });

    // A key stays in the archived one that it is in.
    await pressInRow(page, /Over/, 'Edit');
    expect(await projectField(page).inputValue()).toBe('Over (archived)');
    await page.getByRole('dialog').getByLabel('Name').fill('renamed');
    await confirm(page, 'Save');
    await page.getByRole('row', { name: /renamed.*Over.*Project archived/ }).waitFor();
    await expectAudited(page);
    dashboard.expectClean();
  });

  test('that is archived while a key is put into it is refused at its field', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    const id = await seedProject(dashboard, owner, { name: 'Bot' });
    const page = await dashboard.openAs(owner, '/keys');
    await press(page, 'Create key');
    await page.getByRole('dialog').getByLabel('Name').fill('production');
    await projectField(page).click();
    await choose(page, 'Bot');
    await dashboard.harness.database.sql`UPDATE projects SET archived_at = now() WHERE id = ${id}`;
    await press(page, 'Create');
    await page.getByRole('combobox', { name: 'Project', description: /This project is archived/ }).waitFor();
    dashboard.expectClean();
  });

  test('has its usage, which leads to its requests and their receipts', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    const page = await dashboard.openAs(owner, '/usage');
    expect(await splits(page)).toEqual(['Model', 'Key']);
    await sendRequest(owner.proxyKey);
    const projectId = await seedProject(dashboard, owner, { name: 'Bot' });
    const key = await seedProjectKey(dashboard, owner, { name: 'production', projectId });
    for (let sent = 0; sent < 2; sent += 1) await sendRequest(key);

    await page.reload();
    await page.getByRole('radiogroup', { name: 'Split by' }).getByText('Project').click();
    const table = page.getByRole('table', { name: 'Project' });
    await table.getByRole('row', { name: /^Bot 2 20 10 \$0\.00003$/ }).waitFor();
    await table.getByRole('row', { name: /^No project 1 10 5 \$0\.000015$/ }).waitFor();
    expect(await page.locator('.usage-legend-name').allInnerTexts()).toEqual(['Bot', 'No project']);
    expect(new URL(page.url()).search).toBe('?by=project');
    // No filter of requests is for none.
    expect(await table.getByRole('link').allInnerTexts()).toEqual(['Bot']);
    expect(await exported(page)).toEqual(['Bot', '']);
    await expectAudited(page);

    await page.reload();
    await page.getByRole('link', { name: 'Bot' }).click();
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Project' }).inputValue()).toBe('Bot');
    await page.getByText('2 requests').waitFor();
    await page.locator('.request-sum').getByText('$0.00003').waitFor();
    await settled(page);
    expect(await page.locator('.request-key').allInnerTexts()).toEqual(['production', 'production']);
    await page.locator('.row-link').first().click();
    await page.getByRole('definition').filter({ hasText: /^Bot$/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByLabel('Clear the project').click();
    await page.getByText('3 requests').waitFor();
    dashboard.expectClean();
  });

  test('has its usage split by member too, who are known after they have left', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    const { accountId, proxyKeyId } = owner;
    const { sql } = dashboard.harness.database;
    const [left, finance] = [
      await createMember(dashboard.harness, { accountId, role: 'member' }),
      await createMember(dashboard.harness, { accountId, role: 'finance' }),
    ];
    const projectId = await seedProject(dashboard, owner, { name: 'Bot' });
    await sendRequest(await seedProjectKey(dashboard, owner, { name: 'production', projectId }));
    await sendRequest(await seedProjectKey(dashboard, left, { name: 'of a member' }));
    await sendRequest(owner.proxyKey);
    // It was created by no one.
    expect([...(await sql`SELECT created_by FROM api_keys WHERE id = ${proxyKeyId}`)]).toEqual([{ created_by: null }]);
    await sql`DELETE FROM memberships WHERE account_id = ${accountId} AND user_id = ${left.userId}`;
    for (const person of [owner, finance]) {
      const page = await dashboard.openAs(person, '/usage');
      expect(await splits(page)).toEqual(['Model', 'Key', 'Project', 'Member']);
      await page.getByRole('radiogroup', { name: 'Split by' }).getByText('Member').click();
      const table = page.getByRole('table', { name: 'Member' });
      await table.getByRole('row', { name: /^No member 1 / }).waitFor();
      await table.getByRole('row', { name: owner.email }).waitFor();
      await table.getByRole('link', { name: left.email }).click();
      await page.getByRole('heading', { name: 'Activity' }).waitFor();
      await page.getByText('1 request', { exact: true }).waitFor();
      expect(await page.getByRole('combobox', { name: 'Member' }).inputValue()).toBe(left.email);
    }
    const page = await dashboard.openAs(await createMember(dashboard.harness, { accountId, role: 'member' }), '/usage');
    expect(await splits(page)).toEqual(['Model', 'Key']);
    dashboard.expectClean();
  });
});

const projectField = (page: Page) => page.getByRole('dialog').getByRole('combobox', { name: 'Project' });

/** Opens the list. */
async function offeredProjects(page: Page): Promise<string[]> {
  await projectField(page).click();
  await page.getByRole('option').first().waitFor();
  return page.getByRole('option').allInnerTexts();
}

const choose = (page: Page, name: string) => page.getByRole('option', { name, exact: true }).click();

const splits = (page: Page) => page.getByRole('radiogroup', { name: 'Split by' }).locator('label').allInnerTexts();

/** The projects in the file that the page exports. */
async function exported(page: Page): Promise<string[]> {
  const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Export CSV')]);
  const [head = '', ...lines] = (await Bun.file(await file.path()).text()).trim().split('\r\n');
  const column = head.split(',').indexOf('projectName');
  return lines.map((line) => line.split(',')[column] ?? '').toSorted((one, other) => other.localeCompare(one));
}
