/** What operators do with accounts: find them, credit, refund, limit, block and delete them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { guardTimeoutMs, logIn, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import type { Customer } from '../../harness/customers.ts';
import { expectAccessible } from '../harness/audit.ts';
import { type Dashboard, type DashboardVisitor, startDashboard } from '../harness/dashboard.ts';

describe.skipIf(!chromiumPath)('an operator', () => {
  let dashboard: Dashboard;
  let operator: DashboardVisitor;
  beforeAll(async () => {
    dashboard = await startDashboard();
    operator = await dashboard.newVisitor();
    await operator.signIn(await dashboard.harness.createCustomer({ usd: '0', role: 'operator' }));
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  let tab: Page | undefined;
  const visit = async (path: string) => {
    tab = await operator.visit(path, tab);
    return tab;
  };
  const visitAccount = ({ accountId }: Customer, query = '') => visit(`/operator/accounts/${accountId}${query}`);
  const tileOf = (page: Page, label: string) => page.locator('.tile', { hasText: label }).locator('.tile-value');
  const dialogOf = (page: Page) => page.getByRole('dialog');
  const choose = async (page: Page, action: string) => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  const giveReason = async (page: Page, reason: string, confirm: string) => {
    await dialogOf(page).getByLabel('Reason').fill(reason);
    await expectAccessible(page);
    await dialogOf(page).getByRole('button', { name: confirm }).click();
    await dialogOf(page).waitFor({ state: 'hidden' });
  };
  const paymentsOf = async (customer: Customer) =>
    (await (await logIn(dashboard.admin, customer)).transactions()).map(({ amount, description }) => [
      amount,
      description,
    ]);

  test('finds an account while typing, and the address keeps the search', async () => {
    const [wanted, other] = [
      await dashboard.harness.createCustomer({
        usd: '12.000000001',
        email: `wanted-${crypto.randomUUID()}@example.com`,
      }),
      await dashboard.harness.createCustomer({ usd: '1' }),
    ];
    const page = await visit('/operator/accounts');
    await page.getByRole('link', { name: other.email }).waitFor();
    await page.getByLabel('Search accounts').pressSequentially('WANTED');
    await page.getByRole('link', { name: other.email }).waitFor({ state: 'hidden' });
    expect(await page.getByRole('row', { name: wanted.email }).innerText()).toContain('$12.000000001');
    await page.waitForURL((url) => url.search === '?search=WANTED');
    await page.getByRole('link', { name: wanted.email }).click();
    await page.getByRole('heading', { name: wanted.email }).waitFor();
    await page.goBack();
    expect(await page.getByLabel('Search accounts').inputValue()).toBe('WANTED');
    await page.getByRole('link', { name: wanted.email }).waitFor();
    await page.getByLabel('Search accounts').fill('nobody-has-this-address');
    await page.getByRole('heading', { name: 'No account matches' }).waitFor();
  });

  test('pages through accounts without missing one', async () => {
    const { sql } = dashboard.harness.database;
    await sql`INSERT INTO accounts (balance_nano) SELECT 0 FROM generate_series(1, 60)`;
    const [{ count } = { count: 0 }] = await sql<{ count: number }[]>`SELECT count(*)::int AS count FROM accounts`;
    const page = await visit('/operator/accounts');
    const seen = new Set<string>();
    for (;;) {
      for (const href of await page
        .locator('tbody a')
        .evaluateAll((links) => links.map((link) => link.getAttribute('href')))) {
        seen.add(href ?? '');
      }
      const next = page.getByRole('link', { name: 'Next page' });
      if ((await next.count()) === 0) break;
      const address = page.url();
      await next.click();
      await waitFor('the next page', guardTimeoutMs, async () => page.url() !== address);
      const first = await page.locator('tbody a').first().getAttribute('href');
      if (first !== null && seen.has(first))
        await waitFor(
          'its rows',
          5_000,
          async () => !seen.has((await page.locator('tbody a').first().getAttribute('href')) ?? ''),
        );
    }
    expect(seen.size).toBe(count);
  });

  test('credits once, although the response was lost and the dialog sent it again', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(customer);
    const shown = tileOf(await visitor.visit('/'), 'Balance');
    const page = await visitAccount(customer);
    await page.route(
      '**/api/operator/payments',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Credit' }).click();
    await dialogOf(page).getByLabel('Amount, $').fill('10,25');
    await dialogOf(page).getByLabel('Reason').fill('Invoice 17');
    await expectAccessible(page);
    const confirm = dialogOf(page).getByRole('button', { name: 'Credit $10.25' });
    await confirm.click();
    await dialogOf(page).getByText('The server cannot be reached').waitFor();
    await confirm.click();
    await dialogOf(page).waitFor({ state: 'hidden' });
    expect(await paymentsOf(customer)).toEqual([
      [10.25, 'Invoice 17'],
      [5, 'test'],
    ]);
    await waitFor(
      'the new balance',
      guardTimeoutMs,
      async () => (await tileOf(page, 'Balance').innerText()) === '$15.25',
    );
    // The customer sees it without a reload.
    await waitFor('the balance of the customer', guardTimeoutMs, async () => (await shown.innerText()) === '$15.25');
  });

  test('cannot book another amount by changing a dialog whose first attempt was booked', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    const page = await visitAccount(customer);
    await page.route(
      '**/api/operator/refunds',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Refund' }).click();
    await dialogOf(page).getByLabel('Amount, $').fill('1');
    await dialogOf(page).getByLabel('Reason').fill('Outage');
    await dialogOf(page).getByRole('button', { name: 'Refund $1.00' }).click();
    await dialogOf(page).getByText('The server cannot be reached').waitFor();
    await dialogOf(page).getByLabel('Amount, $').fill('2');
    await dialogOf(page).getByRole('button', { name: 'Refund $2.00' }).click();
    await dialogOf(page).getByText('The first attempt was booked').waitFor();
    expect(await paymentsOf(customer)).toEqual([
      [1, 'Outage'],
      [5, 'test'],
    ]);
  });

  test('changes limits and blocks an account, each with a reason that is in the audit log', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    const page = await visitAccount(customer);
    await choose(page, 'Change limits');
    await dialogOf(page).getByLabel('Requests per minute').fill('60000');
    await dialogOf(page).getByLabel('Concurrent requests').fill('0');
    await giveReason(page, 'Load test', 'Save limits');
    await page.getByText('Requests per minute: 60,000').waitFor();
    await page.getByText('Concurrent requests: no limit').waitFor();
    await choose(page, 'Block');
    await dialogOf(page).getByText('All keys are refused immediately').waitFor();
    await giveReason(page, 'Chargeback of invoice 17', 'Block account');
    await page.getByText('Blocked', { exact: true }).first().waitFor();
    const refused = await fetch(`${dashboard.proxy.url}/v1/key`, {
      headers: { authorization: `Bearer ${customer.proxyKey}` },
    });
    expect(refused.status).toBe(403);
    await page.getByRole('link', { name: 'What operators changed' }).click();
    await page.getByRole('row', { name: /Account blocked.*Chargeback of invoice 17/ }).waitFor();
    await page.getByRole('row', { name: /Limits changed.*Load test/ }).waitFor();
    await page.goBack();
    await choose(page, 'Unblock');
    await giveReason(page, 'Paid', 'Unblock account');
    await page.getByText('Active', { exact: true }).first().waitFor();
  });

  test('deletes an account, and sees which balance is forfeited', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '5.000000001' });
    const page = await visitAccount(customer);
    await choose(page, 'Delete');
    await dialogOf(page).getByText('The balance of $5.000000001 is forfeited.').waitFor();
    // It changes while the dialog is open: an unconfirmed balance is not forfeited.
    await dialogOf(page).getByLabel('Reason').fill('Asked for by mail');
    const confirm = dialogOf(page).getByRole('button', { name: 'Delete account' });
    await page.route(
      '**/api/operator/accounts/*',
      async (route) => {
        if (route.request().method() === 'DELETE') await dashboard.harness.credit(customer.accountId, '1');
        await route.fallback();
      },
      { times: 1 },
    );
    await confirm.click();
    await dialogOf(page).getByText('The account has a balance.').waitFor();
    await dialogOf(page).getByText('The balance of $6.000000001 is forfeited.').waitFor();
    await confirm.click();
    await dialogOf(page).waitFor({ state: 'hidden' });
    await page.getByText('Deleted', { exact: true }).first().waitFor();
    expect(await page.getByRole('button', { name: 'Credit' }).count()).toBe(0);
  });

  test('can confirm a block although a colleague has blocked the account in the meantime', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    const page = await visitAccount(customer);
    await choose(page, 'Block');
    const { sql } = dashboard.harness.database;
    await sql`UPDATE accounts SET blocked_at = now() WHERE id = ${customer.accountId}`;
    await page.locator('.panel').getByText('Blocked', { exact: true }).waitFor();
    await dialogOf(page)
      .getByRole('heading', { name: `Block ${customer.email}?`, exact: true })
      .waitFor();
    await dialogOf(page).getByLabel('Reason').fill('Chargeback');
    await dialogOf(page).getByRole('button', { name: 'Block account', exact: true }).click();
    await page.getByText(`${customer.email} has been blocked.`).waitFor();
    const [account] = await sql`SELECT blocked_at FROM accounts WHERE id = ${customer.accountId}`;
    expect(account?.blocked_at).not.toBeNull();
  });

  test('forfeits only the balance that the dialog has named since it was opened', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    const page = await visitAccount(customer);
    await choose(page, 'Delete');
    await dialogOf(page).getByText('The balance of $5.00 is forfeited.').waitFor();
    await dashboard.harness.credit(customer.accountId, '1');
    await waitFor(
      'the new balance',
      guardTimeoutMs,
      async () => (await tileOf(page, 'Balance').innerText()) === '$6.00',
    );
    expect(await dialogOf(page).innerText()).toContain('The balance of $5.00 is forfeited.');
    await dialogOf(page).getByLabel('Reason').fill('Asked for by mail');
    await dialogOf(page).getByRole('button', { name: 'Delete account' }).click();
    await dialogOf(page).getByText('The account has a balance.').waitFor();
    await dialogOf(page).getByText('The balance of $6.00 is forfeited.').waitFor();
    const { sql } = dashboard.harness.database;
    const [account] = await sql`SELECT deleted_at FROM accounts WHERE id = ${customer.accountId}`;
    expect(account?.deleted_at).toBeNull();
  });

  test('sees the customer’s requests and transactions to the nano-dollar', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '3.141592653' });
    const page = await visitAccount(customer, '?tab=transactions');
    expect(await page.getByRole('row', { name: /Payment/ }).innerText()).toContain('+$3.141592653');
    await page.getByRole('tab', { name: 'Requests' }).click();
    await page.getByRole('heading', { name: 'No requests' }).waitFor();
    await page.waitForURL((url) => url.search === '?tab=requests');
    await page.getByRole('tab', { name: 'Users' }).click();
    await page.getByRole('row', { name: customer.email }).waitFor();
  });

  test('is the only one who sees the pages for operators', async () => {
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(await dashboard.harness.createCustomer({ usd: '5' }));
    let page: Page | undefined;
    for (const path of [
      'accounts',
      'accounts/1',
      'payments',
      'catalogue',
      'health',
      'reconciliation',
      'mails',
      'audit',
    ]) {
      page = await visitor.visit(`/operator/${path}`, page);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      expect(await page.locator('a[href^="/operator"]').count()).toBe(0);
    }
  });
});
