/** Top-ups in the browser: from an empty account to a request that is paid with them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { expectAccessible, expectFits } from '../harness/audit.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { choose, openSender, type Payment, paymentsEnvironment } from '../harness/payments.ts';

describe.skipIf(!chromiumPath)('a top-up', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({ adminEnvironment: paymentsEnvironment });
    dashboard.provider.on(
      'upstream-chat',
      wholeResponse({ content: 'Hi.', usage: { promptTokens: 10, completionTokens: 5 } }),
    );
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const open = async (path = '/billing') => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    return { customer, page: await dashboard.openAs(customer, path) };
  };
  const dialogOf = (page: Page) => page.getByRole('dialog');
  const fill = async (page: Page, amount: string, currency = 'Roubles, ₽') => {
    await page.getByRole('button', { name: 'Top up' }).first().click();
    await dialogOf(page).getByRole('radio', { name: 'Test payment' }).check();
    await dialogOf(page).getByText(currency, { exact: true }).click();
    await dialogOf(page).getByRole('textbox', { name: 'Amount' }).fill(amount);
  };
  const send = (key: string) =>
    fetch(`${dashboard.proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello' }] }),
    });
  const balanceOf = (page: Page) => page.locator('.tile', { hasText: 'Balance' }).locator('.tile-value');

  test('leads from an empty account over the provider’s page to a request that works', async () => {
    const { customer, page } = await open();
    await dashboard.harness.openWallet(customer.accountId);
    expect((await send(customer.proxyKey)).status).toBe(403);
    await page.getByRole('heading', { name: 'No payments yet' }).waitFor();
    await fill(page, '1 000');
    await dialogOf(page).getByText('$11.111111111 will be added to your balance').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await dialogOf(page).getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByRole('button', { name: 'Succeed', exact: true }).click();
    await dialogOf(page).getByText('Payment received').waitFor();
    await dialogOf(page).getByText('Your balance is now $11.111111111.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row', { name: /Test payment.*Paid.*₽1,000\.00.*₽90\.00.*\$11\.111111111/ }).waitFor();
    await page.waitForURL((url) => url.search === '');
    await waitFor('the wallet', guardTimeoutMs, async () => (await send(customer.proxyKey)).status === 200);
    dashboard.expectClean();
  });

  test('shows its outcome without a reload, wherever it was paid', async () => {
    const { customer, page } = await open();
    await fill(page, '5', 'US dollars, $');
    await dialogOf(page).getByText('$5.00 will be added to your balance').waitFor();
    await dialogOf(page).getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByRole('heading', { name: 'Test payment' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await page.goto(`${dashboard.admin.url}/billing?returned=1&payment=${id}`);
    await dialogOf(page).getByText('Waiting for the payment').waitFor();
    await choose(dashboard.admin, id, 'succeed');
    await dialogOf(page).getByText('Your balance is now $5.00.').waitFor();
    await waitFor('the balance', guardTimeoutMs, async () => (await balanceOf(page).innerText()) === '$5.00');
    const own = await openSender(dashboard.admin, customer);
    const failing = await own.send<Payment>('POST', '/api/payments', {
      method: 'test',
      amount: '7.00',
      currency: 'USD',
    });
    await page.goto(`${dashboard.admin.url}/billing?payment=${failing.id}`);
    await dialogOf(page).getByText('Waiting for the payment').waitFor();
    await choose(dashboard.admin, failing.id, 'fail');
    await dialogOf(page).getByText('The payment did not go through').waitFor();
    await dialogOf(page).getByRole('button', { name: 'Top up again' }).click();
    await page.getByRole('dialog', { name: 'Top up' }).waitFor();
    dashboard.expectClean();
  });

  test('is refused before it is sent if it exceeds the limits or has a malformed amount', async () => {
    const { page } = await open('/billing?topUp=1');
    await dialogOf(page).getByRole('radio', { name: 'Test payment' }).check();
    const amount = dialogOf(page).getByRole('textbox', { name: 'Amount' });
    for (const [text, message] of [
      ['89.99', 'At least ₽90.00'],
      ['900000.01', 'At most ₽900,000.00'],
      ['10.001', 'Enter an amount such as 1000 or 99.50'],
      ['ten', 'Enter an amount such as 1000 or 99.50'],
    ] as const) {
      await amount.fill(text);
      await dialogOf(page).getByRole('button', { name: 'Continue to payment' }).click();
      await dialogOf(page).getByText(message).waitFor();
    }
    expect(new URL(page.url()).pathname).toBe('/billing');
    await expectAccessible(page);
  });

  test('is ordered once if the response to the first attempt is lost', async () => {
    const { customer, page } = await open();
    await page.route(
      '**/api/payments',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await fill(page, '1000');
    const pay = dialogOf(page).getByRole('button', { name: 'Continue to payment' });
    await pay.click();
    await dialogOf(page).getByText('The server cannot be reached').waitFor();
    await pay.click();
    await page.getByRole('button', { name: 'Succeed', exact: true }).waitFor();
    const { sql } = dashboard.harness.database;
    expect((await sql`SELECT FROM payments WHERE account_id = ${customer.accountId}`).length).toBe(1);
  });
});
