/** The first minutes: three steps, the last of which turns green by itself. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { expectAudited } from '../harness/audit.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';

describe.skipIf(!chromiumPath)('the first steps', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const usage = { promptTokens: 10, completionTokens: 5 };
    dashboard.provider.on('upstream-chat', wholeResponse({ content: 'Hi.', usage }));
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const newcomer = async (usd: string) => {
    const customer = await dashboard.harness.createCustomer({ usd });
    await dashboard.harness.database.sql`DELETE FROM api_keys WHERE account_id = ${customer.accountId}`;
    const page = await dashboard.openAs(customer, '/');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    return page;
  };

  test('are all that a new customer sees, including what would refuse a request', async () => {
    const page = await newcomer('0');
    expect(await page.locator('.step h2').allInnerTexts()).toEqual([
      'Create a key',
      'Copy the snippet',
      'See the request arrive',
    ]);
    expect(await page.locator('.tile').count()).toBe(0);
    await page.getByText('Your balance is empty').waitFor();
    await expectAudited(page);
    dashboard.expectClean();
  });

  test('lead from a key to a snippet that works, and show its request without a reload', async () => {
    const page = await newcomer('5');
    const step = (title: string) => page.locator('.step', { hasText: title });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('first');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const key = await page.getByLabel('API key').inputValue();
    await page.getByRole('button', { name: 'Done' }).click();
    await step('Create a key').and(page.locator('[data-done]')).waitFor();
    expect(await page.content()).not.toContain(key);

    await step('Copy the snippet').getByRole('button', { name: 'Copy' }).click();
    await step('Copy the snippet').and(page.locator('[data-done]')).waitFor();
    const snippet = await page.evaluate('navigator.clipboard.readText()');
    expect(snippet).toContain(`${dashboard.proxy.url}/v1/chat/completions`);
    expect(snippet).toContain(key);
    const ran = Bun.spawn(['bash', '-c', `${snippet}`], { stdout: 'pipe', stderr: 'ignore' });
    expect(await new Response(ran.stdout).text()).toContain('Hi.');
    const third = step('See the request arrive').and(page.locator('[data-done]'));
    await third.waitFor();
    await third.getByText('test/chat, 15 tokens').waitFor();
    await expectAudited(page);

    await page.reload();
    await page.locator('.tile', { hasText: 'Spend today' }).waitFor();
    expect(await page.locator('.step').count()).toBe(0);
    dashboard.expectClean();
  });

  test.each([
    ['Python', 'base_url="PROXY/v1"'],
    ['TypeScript', "baseURL: 'PROXY/v1'"],
  ])('have a snippet in %s with the address of the proxy', async (language, address) => {
    const page = await newcomer('0');
    await page.getByText(language, { exact: true }).click();
    expect(await page.locator('.snippet').innerText()).toContain(address.replace('PROXY', dashboard.proxy.url));
  });
});
