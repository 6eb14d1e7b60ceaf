/** Sessions in the browser: several tabs, a session that ends elsewhere, and live changes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { chromiumPath } from '../harness/clients/browser.ts';
import { testPassword } from '../harness/customers.ts';
import { type Dashboard, startDashboard } from './harness/dashboard.ts';

describe.skipIf(!chromiumPath)('a session', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const signedIn = async () => {
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(await dashboard.harness.createCustomer({ usd: '5' }));
    return visitor;
  };
  const opened = async (path: string) => {
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    return { customer, page: await dashboard.openAs(customer, path) };
  };
  const pathOf = (page: Page) => new URL(page.url()).pathname;
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();

  test('survives tabs that all refresh it concurrently, again and again', async () => {
    const visitor = await signedIn();
    const tabs = await Promise.all(['/', '/keys', '/profile'].map((path) => visitor.visit(path)));
    for (let round = 0; round < 2; round += 1) await Promise.all(tabs.map((tab) => tab.reload()));
    await Promise.all(tabs.map((tab) => tab.locator('.user-button').waitFor({ state: 'attached' })));
    expect(tabs.map(pathOf)).toEqual(['/', '/keys', '/profile']);
  });

  test('has one language, which is shown in all tabs, and after a reload', async () => {
    const visitor = await signedIn();
    const [chosen, other] = [await visitor.visit('/keys'), await visitor.visit('/models')];
    await heading(other, 'Models');
    await chosen.locator('.user-button').click();
    await chosen.getByText('Русский', { exact: true }).click();
    await heading(chosen, 'Ключи');
    await heading(other, 'Модели');
    expect(await other.locator('html').getAttribute('lang')).toBe('ru');
    await other.reload();
    await heading(other, 'Модели');
    dashboard.expectClean();
  });

  test('a session that ends elsewhere leads to the log-in, and from there back to the page', async () => {
    const { customer, page } = await opened('/keys?kind=billing');
    await dashboard.harness.database.sql`
      UPDATE refresh_tokens SET revoked_at = now() WHERE user_id = ${customer.userId}`;
    await page.reload();
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('Email').fill(customer.email);
    await page.getByLabel('Password').fill(testPassword);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading(page, 'Keys');
    expect(new URL(page.url()).search).toBe('?kind=billing');
  });

  test('a session that ends elsewhere ends here too, by itself', async () => {
    const { customer, page } = await opened('/activity');
    await page.getByText('Live', { exact: true }).waitFor();
    await dashboard.harness.database.sql`
      UPDATE refresh_tokens SET revoked_at = now() WHERE user_id = ${customer.userId}`;
    await page.getByText('Your session has ended').waitFor();
    expect(new URL(page.url()).searchParams.get('back')).toBe('/activity');
  });

  test('a session that is signed out of in one tab ends in the others', async () => {
    const visitor = await signedIn();
    const [first, second] = [await visitor.visit('/profile'), await visitor.visit('/keys')];
    await first.getByRole('button', { name: 'Sign out', exact: true }).click();
    await heading(first, 'Sign in to your account');
    await heading(second, 'Sign in to your account');
    // Nothing of the user is left in the browser.
    expect(await first.evaluate('JSON.stringify(localStorage)')).toBe('{}');
  });

  test('shows a credit without a reload', async () => {
    const { customer, page } = await opened('/');
    const value = page.locator('.tile', { hasText: 'Balance' }).locator('.tile-value');
    expect(await value.innerText()).toBe('$5.00');
    await dashboard.harness.credit(customer.accountId, '2.5');
    await waitFor('the new balance', guardTimeoutMs, async () => (await value.innerText()) === '$7.50');
  });

  test('returns after a log-in only to a page of the dashboard', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    const leads = [
      ['//elsewhere.example/', 'Overview', '/'],
      // Browsers skip tabs in an address.
      ['/\t/elsewhere.example/', 'Overview', '/'],
      ['/api/docs', 'Overview', '/'],
      ['/keys', 'Keys', '/keys'],
    ] as const;
    for (const [back, title, path] of leads) {
      const page = await dashboard.openAs(undefined, `/login?back=${encodeURIComponent(back)}`);
      await page.getByLabel('Email').fill(customer.email);
      await page.getByLabel('Password').fill(testPassword);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await heading(page, title);
      expect(pathOf(page)).toBe(path);
    }
  });

  test('shows an unreachable server as such, and continues when it is reachable again', async () => {
    const { page } = await opened('/profile');
    await page.route('**/api/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByText('No connection').waitFor();
    await page.unroute('**/api/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row', { name: /test/ }).waitFor();
  });
});
