/** Dimensions: asked for on the page of the organization, then usage is split by them, down to its requests. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { expectAudited } from '../harness/audit.ts';
import { type Dashboard, settled, startDashboard } from '../harness/dashboard.ts';
import { createMember } from '../harness/organization.ts';

describe.skipIf(!chromiumPath)('dimensions', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const usage = { promptTokens: 10, completionTokens: 5 };
    dashboard.provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage }));
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const send = async (key: string, said: object) => {
    const response = await fetch(`${dashboard.proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello' }], ...said }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  };

  test('are asked for by an owner, split usage, and lead to requests and receipts', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    const page = await dashboard.openAs(owner, '/organization?tab=settings');
    await page.getByRole('switch', { name: 'User' }).click();
    const names = page.getByRole('combobox', { name: 'Metadata keys' });
    await names.fill('team!');
    await names.press('Enter');
    await pressIn(page, 'Apply');
    await page.getByText('A name has up to 64').waitFor();
    await names.press('Backspace');
    await names.fill('team');
    await names.press('Enter');
    await names.fill('feature');
    await names.press('Enter');
    await pressIn(page, 'Apply');
    await page.getByText('Saved').waitFor();
    await expectAudited(page);

    await send(owner.proxyKey, { user: 'ada', metadata: { team: 'search' } });
    await send(owner.proxyKey, { user: 'ada', metadata: { team: 'none' } });
    await send(owner.proxyKey, {});
    await page.goto(`${dashboard.admin.url}/usage`);
    await page.getByRole('combobox', { name: 'Split by' }).click();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['Model', 'Key', 'User', 'team', 'feature']);
    await page.getByRole('option', { name: 'team' }).click();
    const table = page.getByRole('table', { name: 'team' });
    await table.getByRole('row', { name: /^search 1 10 5 / }).waitFor();
    await table.getByRole('row', { name: /^none 1 / }).waitFor();
    await table.getByRole('row', { name: /^No value 1 / }).waitFor();
    expect(new URL(page.url()).search).toBe('?by=metadata.team');
    await expectAudited(page);

    await page.reload();
    await page.getByRole('link', { name: 'search' }).click();
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Dimension' }).inputValue()).toBe('team');
    expect(await page.getByLabel('Value').inputValue()).toBe('search');
    await page.getByText('1 request', { exact: true }).waitFor();
    await settled(page);
    await page.locator('.row-link').first().click();
    await page
      .getByRole('definition')
      .filter({ hasText: /^search$/ })
      .waitFor();
    await page.getByRole('definition').filter({ hasText: /^ada$/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByLabel('Value').fill('');
    await page.getByLabel('Value').press('Enter');
    await page.getByText('1 request', { exact: true }).waitFor();
    await page.waitForURL(/dimension=metadata.team$/);
    await page.getByLabel('Clear the dimension').click();
    await page.getByText('3 requests').waitFor();
    await expectAudited(page);
    dashboard.expectClean();
  });

  test('are seen and not changed by members', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    const { accountId } = owner;
    const member = await createMember(dashboard.harness, { accountId, role: 'member' });
    const page = await dashboard.openAs(member, '/organization?tab=settings');
    const names = page.getByRole('combobox', { name: 'Metadata keys' });
    await names.waitFor();
    expect(await names.isDisabled()).toBe(true);
    expect(await section(page).getByRole('button', { name: 'Apply' }).count()).toBe(0);
    dashboard.expectClean();
  });
});

const section = (page: Page) => page.getByRole('region', { name: 'Dimensions of usage' });

const pressIn = (page: Page, name: string) => section(page).getByRole('button', { name, exact: true }).click();
