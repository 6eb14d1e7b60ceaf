/** From the first key to the first receipt: each step leads to the next one by itself. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';

describe.skipIf(!chromiumPath)('a first request', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const usage = { promptTokens: 1_000, completionTokens: 500 };
    dashboard.provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage }));
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  test('a first request turns the third step green, and leads to activity, its receipt and the balance', async () => {
    const { harness, proxy } = dashboard;
    const customer = await harness.createCustomer({ usd: '5' });
    await harness.database.sql`DELETE FROM api_keys WHERE account_id = ${customer.accountId}`;
    const visitor = await dashboard.newVisitor();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.signIn(customer);
    const page = await visitor.visit('/');
    const steps = page.locator('ol.steps');
    const done = steps.locator('li[data-done]');
    expect(await done.count()).toBe(0);
    await steps.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('first');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const key = await page.getByLabel('API key').inputValue();
    await page.getByRole('button', { name: 'Done' }).click();
    await done.nth(0).waitFor();
    await steps.getByRole('button', { name: 'Copy', exact: true }).click();
    await done.nth(1).waitFor();
    const snippet = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(snippet).toContain(key);
    expect(snippet).toContain(`${proxy.url}/v1/chat/completions`);

    const sent = Bun.spawn(['sh', '-c', snippet], { stdout: 'pipe', stderr: 'ignore' });
    expect(await new Response(sent.stdout).text()).toContain('Hi.');
    await done.nth(2).waitFor();
    // 1,000 tokens at 0.60 and 500 at 1.80 dollars per million.
    await steps.getByText('$0.0015').waitFor();
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.locator('tbody').getByText('$0.0015').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.locator('tbody a').first().click();
    const receipt = page.getByRole('dialog', { name: 'Receipt' });
    await receipt.getByText('$4.9985').waitFor();
    expect(await receipt.locator('.receipt-total td').innerText()).toBe('$0.0015');
    await receipt.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'Overview' }).click();
    const balance = page.locator('.tile', { hasText: 'Balance' }).locator('.tile-value').first();
    await balance.getByText('$4.9985', { exact: true }).waitFor();
    dashboard.expectClean();
  });

  test('is distinguished from a credit by an operator, which the customer sees without a reload', async () => {
    const { harness } = dashboard;
    const customer = await harness.createCustomer({ usd: '0' });
    const operator = await harness.createCustomer({ usd: '0', role: 'operator' });
    const [own, theirs] = [await dashboard.newVisitor(), await dashboard.newVisitor()];
    await Promise.all([own.signIn(customer), theirs.signIn(operator)]);
    const page = await own.visit('/transactions');
    const desk = await theirs.visit(`/operator/accounts/${customer.accountId}`);
    await desk.getByRole('button', { name: 'Credit', exact: true }).click();
    await desk.getByLabel('Amount, $').fill('12.345678901');
    await desk.getByLabel('Reason').fill('Invoice 7');
    await desk.getByRole('button', { name: 'Credit $12.345678901' }).click();
    const row = page.getByRole('row', { name: /Invoice 7/ });
    await row.waitFor();
    expect(await row.innerText()).toContain('+$12.345678901');
    dashboard.expectClean();
  });
});
