/**
 * What operators see of a request besides its customer's receipt: the provider's prices and the markup, in Russian too.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import type { Customer } from '../../harness/customers.ts';
import { imageCatalogue, imagesResponse } from '../../harness/providers/images.ts';
import { expectAccessible } from '../harness/audit.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';

describe.skipIf(!chromiumPath)('the receipt of a request for images', () => {
  let dashboard: Dashboard;
  let customer: Customer;
  beforeAll(async () => {
    dashboard = await startDashboard({ catalogue: imageCatalogue });
    const { harness, provider, proxy } = dashboard;
    customer = await harness.createCustomer({ usd: '5' });
    provider.on('upstream-image', imagesResponse(1));
    const response = await fetch(`${proxy.url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/image', prompt: 'A red square', size: '1024x1024', quality: 'high' }),
    });
    expect(response.status).toBe(200);
    await waitFor('the charge', guardTimeoutMs, async () => {
      const [row] = await harness.database.sql`SELECT 1 FROM usage_totals WHERE account_id = ${customer.accountId}`;
      return row !== undefined;
    });
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const openReceipt = async (locale: string, words: { readonly requests: string; readonly receipt: string }) => {
    const visitor = await dashboard.newVisitor({ locale });
    await visitor.signIn(await dashboard.harness.createCustomer({ usd: '0', role: 'operator' }));
    const page = await visitor.visit(`/operator/accounts/${customer.accountId}?tab=requests`);
    await page.getByRole('table', { name: words.requests }).getByRole('link').click();
    const panel = page.getByRole('dialog', { name: words.receipt });
    await panel.getByText('scripted/upstream-image').waitFor();
    await expectAccessible(page);
    return panel;
  };

  test("shows the provider's price for an image of its size and quality, not for tokens", async () => {
    const panel = await openReceipt('en-GB', { requests: 'Requests', receipt: 'Receipt' });
    const facts = await panel.locator('.operator-facts').innerText();
    expect(facts.split('\n').filter(Boolean)).toEqual([
      ...['Deployment', 'scripted/upstream-image', 'Markup', '× 1.2'],
      ...['Image, 1024x1024, high', '$0.167'],
    ]);
  });

  test('has the numbers and the words of a Russian reader', async () => {
    const panel = await openReceipt('ru-RU', { requests: 'Запросы', receipt: 'Детализация' });
    const facts = await panel.locator('.operator-facts').innerText();
    expect(facts.replaceAll('\u00a0', ' ').split('\n').filter(Boolean)).toEqual([
      ...['Развёртывание', 'scripted/upstream-image', 'Наценка', '× 1,2'],
      ...['Изображение, 1024x1024, high', '0,167 $'],
    ]);
    dashboard.expectClean();
  });
});
