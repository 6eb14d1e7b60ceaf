/** How operators compare the catalogue with a price list, and take differences over into a file. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type ListServer, startListServer } from '../../admin/catalogue/published-lists/list-server.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';
import { expectAccessible, expectFits } from '../harness/audit.ts';
import { type Dashboard, type DashboardVisitor, startDashboard } from '../harness/dashboard.ts';

/** USD per token. */
const entry = (model: string, prompt: string, more = '') => `"scripted/${model}": {
  "litellm_provider": "scripted", "mode": "chat", "input_cost_per_token": ${prompt}${more} }`;
const listOf = (...entries: string[]) => `{ ${entries.join(', ')} }`;

describe.skipIf(!chromiumPath)('an operator with a price list', () => {
  let server: ListServer;
  let dashboard: Dashboard;
  let operator: DashboardVisitor;
  beforeAll(async () => {
    server = startListServer();
    server.answer = () => new Response(listOf(entry('upstream-chat', '4e-07'), entry('newest', '1e-06')));
    const retiring = (baseUrl: string) =>
      testCatalogue(baseUrl).replace('kind: chat', 'kind: chat\n    retiresAt: "2099-06-30"');
    const adminEnvironment = { CATALOGUE_SYNC_URL: server.url };
    dashboard = await startDashboard({ catalogue: retiring, adminEnvironment });
    operator = await dashboard.newVisitor();
    await operator.signIn(await dashboard.harness.createCustomer({ usd: '0', role: 'operator' }));
  });
  afterAll(async () => {
    await dashboard?.[Symbol.asyncDispose]();
    await server?.stop();
  });

  const host = () => new URL(server.url).host;
  let tab: Page | undefined;
  const visit = async (path: string) => {
    tab = await operator.visit(path, tab);
    return tab;
  };
  const openPriceList = () => visit('/operator/catalogue?tab=compare');
  const box = (page: Page, field: string, model: string) =>
    page.getByRole('checkbox', { name: `Take over ${field} of ${model}` });

  test('sees what the configured list says differently, and what is new', async () => {
    await waitFor('the first comparison', guardTimeoutMs, async () => {
      const { sql } = dashboard.harness.database;
      const compared = await sql`SELECT FROM price_list_checks WHERE state = 'compared'`;
      return compared.length === 1;
    });
    const page = await openPriceList();
    await page.getByText(`The list of ${host()} is compared every day.`).waitFor();
    await page.getByText(/^Compared on/).waitFor();
    expect(await box(page, 'prompt', 'test/chat').isChecked()).toBe(false);
    await page.getByRole('button', { name: `Compare with ${host()}` }).click();
    await page.getByText(/^Compared with version/).waitFor();
    await page.getByRole('heading', { name: '1 difference' }).waitFor();
    const row = page.getByRole('row', { name: /test\/chat/ });
    expect((await row.innerText()).split(/\s*[\t\n]\s*/).filter(Boolean)).toEqual([
      ...['test/chat', 'scripted/upstream-chat', 'Input', '$0.50', '$0.40', 'Lower'],
    ]);
    await page.getByRole('heading', { name: '1 new model' }).waitFor();
    await page.getByText('scripted/newest').waitFor();
    await page.getByRole('heading', { name: '2 models are not in the list' }).waitFor();
    await expectAccessible(page);
    await expectFits(page);
  });

  test('takes a difference over into a file, and confirms a large one on its own', async () => {
    const page = await openPriceList();
    const size = ', "max_input_tokens": 64000';
    await page.getByRole('textbox', { name: 'Price list' }).fill(listOf(entry('upstream-chat', '4e-06', size)));
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByRole('heading', { name: '2 differences' }).waitFor();
    await page.getByText('More than 3 times').waitFor();
    await page.getByRole('button', { name: 'Select all that are not marked' }).click();
    await page.getByRole('button', { name: 'Take over 1 difference' }).waitFor();
    const large = box(page, 'prompt', 'test/chat');
    await large.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('test/chat, prompt: $0.50 in the catalogue, $4.00 in the list.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await large.isChecked()).toBe(false);
    await large.click();
    await dialog.getByRole('button', { name: 'Take it over' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await large.isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Take over 2 differences' }).click();
    const file = page.getByLabel('Catalogue file');
    await file.waitFor();
    expect(await file.inputValue()).toContain('prompt: "4"');
    expect(await file.inputValue()).toContain('contextTokens: 64000');
    await page.getByRole('button', { name: 'Check' }).click();
    const changed = page.getByRole('table', { name: 'Changed prices' }).getByRole('row', { name: /test\/chat Input/ });
    await changed.waitFor();
    await page.getByRole('button', { name: 'Apply catalogue' }).waitFor();
  });

  test('sees why a list cannot be read, and that the last attempt failed', async () => {
    const page = await openPriceList();
    const upload = page.locator('input[type=file]');
    await upload.setInputFiles({ name: 'list.json', mimeType: 'application/json', buffer: Buffer.from('{}') });
    await page.getByText('The file cannot be read as a price list. Nothing was compared.').waitFor();
    const { sql } = dashboard.harness.database;
    await sql`
      INSERT INTO price_list_checks (url, state, started_at, error)
      VALUES (${server.url}, 'failed', now(), 'the price list''s server responded with status 500')`;
    const again = await openPriceList();
    await again.getByText('The last attempt failed').waitFor();
    await again.getByText(/responded with status 500\. Nothing has changed/).waitFor();
    await expectAccessible(again);
  });

  test('sees which models retire, as customers do', async () => {
    const page = await visit('/operator/catalogue');
    await page
      .getByRole('row', { name: /test\/chat/ })
      .getByText('Retires on 30 Jun 2099')
      .waitFor();
    const models = await visit('/models');
    await models
      .getByRole('row', { name: /test\/chat/ })
      .getByText('Retires on 30 Jun 2099')
      .waitFor();
    await models.getByRole('link', { name: 'test/chat' }).click();
    await models.getByRole('dialog').getByText('30 Jun 2099').waitFor();
    await expectAccessible(models);
    dashboard.expectClean();
  });
});
