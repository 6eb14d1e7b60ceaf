/** What the playground shows when a request to a model fails, and what helps then. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { spentAtRest } from '../../harness/books.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { failWith, streamedResponse } from '../../harness/providers/scripted-provider.ts';
import { expectAccessible, expectFits } from '../harness/audit.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { enterPlayground, facts, response, say, settleTimeoutMs } from '../harness/playground.ts';

describe.skipIf(!chromiumPath)('a failure in the playground', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const alert = (page: Page) => response(page).getByRole('alert');

  test('an insufficient balance tells the customer in the playground to top up', async () => {
    const { customer, page } = await enterPlayground(dashboard, '0');
    await dashboard.harness.openWallet(customer.accountId);
    await say(page, 'Hello');
    await alert(page).getByText('Not enough balance').waitFor();
    expect(await alert(page).innerText()).toContain('Request ID: ');
    await expectAccessible(page);
    await expectFits(page);
  });

  test('too many requests count down the seconds to wait, then allow another attempt', async () => {
    const { page } = await enterPlayground(dashboard);
    await page.route('**/v1/chat/completions', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*', 'retry-after': '10' },
        json: { error: { code: 'rate_limit_exceeded', message: 'Too many requests.', type: 'rate_limit_error' } },
      }),
    );
    await say(page, 'Hello');
    await alert(page).getByText('Too many requests').waitFor();
    expect(await alert(page).getByRole('button').isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.unroute('**/v1/chat/completions');
    dashboard.provider.on('upstream-chat', streamedResponse({ tokens: 2 }));
    await alert(page).getByRole('button', { name: 'Try again', exact: true }).click();
    await facts(page).getByText('tokens in').waitFor();
    expect(await page.locator('.turn').count()).toBe(1);
  });

  test('a failure of the provider is shown as such in the playground, and nothing is charged', async () => {
    dashboard.provider.on('upstream-chat', failWith(503, 'overloaded'));
    const { customer, page } = await enterPlayground(dashboard);
    await say(page, 'Hello');
    await alert(page).getByRole('button', { name: 'Try again', exact: true }).waitFor();
    expect(await alert(page).innerText()).toMatch(/not available right now|provider failed/);
    expect(await spentAtRest(dashboard.harness, customer.accountId)).toBe(0n);
  });

  test('a failure in the middle of an answer keeps the part that has arrived, and what it cost', async () => {
    dashboard.provider.on(
      'upstream-chat',
      streamedResponse({ tokens: 50, delayMs: 20, after: { tokens: 8, ends: 'error' } }),
    );
    const { page } = await enterPlayground(dashboard);
    await say(page, 'Hello');
    await alert(page).waitFor();
    expect(await response(page).locator('.model-response-text').first().innerText()).toStartWith('000001002');
    await facts(page).getByText('tokens in').waitFor({ timeout: settleTimeoutMs });
  });

  test('a failure of the connection is shown as such, and the same request is sent again later', async () => {
    dashboard.provider.on('upstream-chat', streamedResponse({ tokens: 2 }));
    const { page } = await enterPlayground(dashboard);
    await page.route('**/v1/chat/completions', (route) => route.abort());
    await say(page, 'Hello');
    await alert(page).getByText('No connection to the gateway').waitFor();
    await page.unroute('**/v1/chat/completions');
    await alert(page).getByRole('button', { name: 'Try again' }).click();
    await facts(page).getByText('tokens in').waitFor();
  });
});
