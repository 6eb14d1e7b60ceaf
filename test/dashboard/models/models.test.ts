/** The price list in the browser, against the API. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { formatRub, formatUsd } from '../../../dashboard/app/money/format-money.ts';
import type { PriceList } from '../../../dashboard/models/model.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { type Customer, testPassword } from '../../harness/customers.ts';
import { testCatalogue } from '../../harness/providers/test-catalogue.ts';
import { expectAccessible, expectAudited, expectFits } from '../harness/audit.ts';
import { type Dashboard, type DashboardVisitor, follow, startDashboard } from '../harness/dashboard.ts';

const manyModels = 1_000;

/** Besides the usual models: one of each other kind, and many more than fit on a page. */
function catalogue(baseUrl: string): string {
  const others = Array.from({ length: manyModels - 5 }, (_, index) => {
    const price = `{ prompt: "${index}.5", completion: "${index}.25", cachedPrompt: "0.0${index + 1}" }`;
    return `
  - { id: acme/model-${index}, kind: chat, ownedBy: acme, contextTokens: ${4_096 + index}, maxOutputTokens: 1024,
      price: ${price}, deployments: [{ provider: scripted, model: upstream-chat }] }`;
  });
  return `${testCatalogue(baseUrl)}
  - { id: test/embedding, kind: embedding, ownedBy: test, contextTokens: 8191, maxOutputTokens: 0,
      price: { prompt: "0.02", completion: "0" },
      deployments: [{ provider: scripted, model: upstream-embedding, country: DE, retentionDays: 30, trains: false }] }
  - id: test/image
    kind: image
    ownedBy: test
    contextTokens: 8192
    price: { images: [{ size: default, quality: default, priceUsd: "0.01" }, { size: 512x512, quality: low, priceUsd: "0.002" }] }
    deployments: [{ provider: scripted, model: upstream-image, onDisconnect: drain }]
${others.join('')}`;
}

describe.skipIf(!chromiumPath)('the price list', () => {
  let dashboard: Dashboard;
  let customer: Customer;
  let visitor: DashboardVisitor;
  let prices: PriceList;
  beforeAll(async () => {
    dashboard = await startDashboard({ catalogue });
    customer = await dashboard.harness.createCustomer({ usd: '5' });
    visitor = await dashboard.newVisitor();
    await visitor.signIn(customer);
    prices = await readPrices();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  let tab: Page | undefined;
  const visit = async (path: string): Promise<Page> => {
    tab = await visitor.visit(path, tab);
    return tab;
  };

  const readPrices = async (): Promise<PriceList> => {
    const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const credentials = JSON.stringify({ email: customer.email, password: testPassword });
    const login = await fetch(`${dashboard.admin.url}/api/auth/login`, { ...post, body: credentials });
    const { accessToken } = (await login.json()) as { accessToken: string };
    const headers = { authorization: `Bearer ${accessToken}` };
    return (await (await fetch(`${dashboard.admin.url}/api/models`, { headers })).json()) as PriceList;
  };
  const row = (page: Page, id: string) => page.locator('.data-table tbody tr', { hasText: id });
  const ids = (page: Page) => page.locator('.data-table tbody .mono').allInnerTexts();
  const searchIs = (page: Page, search: string) => page.waitForURL((url) => url.search === search);

  test('shows what the API returns, in dollars and roubles, to the last digit', async () => {
    const page = await visit('/models?owner=test');
    expect(await ids(page)).toEqual(prices.models.filter(({ ownedBy }) => ownedBy === 'test').map(({ id }) => id));
    for (const { id, perMillionTokens, perMillionTokensRub, perImage } of prices.models) {
      if (!id.startsWith('test/') || perImage.length > 0) continue;
      const text = await row(page, id).innerText();
      expect(text).toContain(formatUsd(perMillionTokens.prompt, 'en'));
      expect(text).toContain(formatRub(perMillionTokensRub.prompt, 'en'));
    }
    expect(await row(page, 'test/image').innerText()).toContain('from $0.0024');
    dashboard.expectClean();
  });

  test('finds a model among a thousand, and keeps the search in the address', async () => {
    const page = await visit('/models');
    await page.getByText('1–50 of 1,000').waitFor();
    await page.getByLabel('Search models').fill('acme 994');
    await row(page, 'acme/model-994').waitFor();
    expect(await ids(page)).toEqual(['acme/model-994']);
    await searchIs(page, '?q=acme+994');
    await page.getByLabel('Search models').fill('no such model');
    await page.getByRole('heading', { name: 'No model matches' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('1–50 of 1,000').waitFor();
    expect(await page.getByLabel('Search models').inputValue()).toBe('');
    dashboard.expectClean();
  });

  test('filters, sorts and pages, and “back” leads to the previous page', async () => {
    const page = await visit('/models?kind=chat&sort=prompt');
    expect((await ids(page)).slice(0, 2)).toEqual(['test/priced-output', 'test/chat']);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByText('51–100 of').waitFor();
    await searchIs(page, '?kind=chat&sort=prompt&page=2');
    await page.getByLabel('Order').click();
    await page.getByRole('option', { name: 'Longest context' }).click();
    await waitFor('the new order', guardTimeoutMs, async () => (await ids(page))[0] === 'test/chat');
    await searchIs(page, '?kind=chat&sort=context');
    await page.goBack();
    await page.getByText('51–100 of').waitFor();
    await page.goBack();
    await waitFor('the first page', guardTimeoutMs, async () => (await ids(page))[0] === 'test/priced-output');
    await searchIs(page, '?kind=chat&sort=prompt');
    dashboard.expectClean();
  });

  test('calculates what a workload costs, and shows how', async () => {
    const page = await visit('/models?q=test/chat');
    await page.getByLabel('Input tokens').fill('2001');
    await page.getByLabel('Output tokens').fill('7');
    await page.getByLabel('Cached share, %').fill('50');
    await page.getByLabel('Requests per month').fill('3');
    // 2,001 tokens at $0.60 a million and 7 at $1.80, three times.
    await row(page, 'test/chat').getByText('$0.0036396', { exact: true }).waitFor();
    await searchIs(page, '?q=test%2Fchat&in=2001&out=7&cached=50&requests=3');
    await page.getByRole('link', { name: 'test/chat' }).click();
    const dialog = page.getByRole('dialog', { name: 'test/chat' });
    await dialog.getByText('Input: 1,001 × $0.60 / 1,000,000').waitFor();
    await dialog.getByText('Cached input: 1,000 × $0.60 / 1,000,000').waitFor();
    await dialog.getByText('$0.0012132', { exact: true }).waitFor();
    expect(await dialog.getByLabel('Model ID').inputValue()).toBe('test/chat');
    await expectAccessible(page);
    await expectFits(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.waitForURL((url) => !url.searchParams.has('model'));
    dashboard.expectClean();
  });

  test('shows what is known of the providers of a model', async () => {
    const page = await visit('/models?model=test/embedding');
    const providers = page.getByRole('dialog').getByRole('table', { name: 'Providers' });
    await providers.getByRole('cell', { name: 'Germany' }).waitFor();
    expect(await providers.getByRole('cell').allTextContents()).toEqual(['Not disclosed', 'Germany', '30 days', 'No']);
    await expectAccessible(page);
    await expectFits(page);
    await visit('/models?model=test/chat');
    await page.getByRole('dialog', { name: 'test/chat' }).getByText('Prices per million tokens').waitFor();
    expect(await providers.count()).toBe(0);
    dashboard.expectClean();
  });

  test('copies the id of a model', async () => {
    const page = await visit('/models?q=test/chat');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy test/chat' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('test/chat');
    dashboard.expectClean();
  });

  test.each(['', '&model=test/image', '&model=gone', '&q=zzz'])(
    'is accessible and fits a phone: /models?owner=test%s',
    async (query) => {
      const path = `/models?owner=test${query}`;
      const page = tab ?? (await visit(path));
      await follow(page, path);
      await expectAudited(page);
      dashboard.expectClean();
    },
  );
});
