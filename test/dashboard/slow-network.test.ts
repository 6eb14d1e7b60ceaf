/**
 * What a person sees while responses are late, lost or refused: nothing is done twice, and no old data is shown as new.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page, Route } from 'playwright-core';
import { waitFor } from '../harness/account-view.ts';
import { chromiumPath } from '../harness/clients/browser.ts';
import type { Customer } from '../harness/customers.ts';
import { wholeResponse } from '../harness/providers/scripted-provider.ts';
import { expectAccessible } from './harness/audit.ts';
import { type Dashboard, settled, startDashboard } from './harness/dashboard.ts';

const waitMs = 120_000;

describe.skipIf(!chromiumPath)('on a slow or failing network', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  async function signedIn() {
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(customer);
    return { customer, visitor };
  }

  /** Holds matching responses until they are released. */
  async function hold(page: Page, pattern: string | RegExp) {
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(pattern, async (route: Route) => {
      await promise;
      await route.continue();
    });
    return { letGo: resolve };
  }

  test('a page that is not rendered yet shows that it is loading', async () => {
    const { visitor } = await signedIn();
    const page = await visitor.context.newPage();
    const { letGo } = await hold(page, '**/api/auth/refresh');
    await page.goto(`${dashboard.admin.url}/profile`);
    const sign = page.getByRole('status', { name: 'Model Gateway' });
    const isShown = () => page.evaluate(`getComputedStyle(document.querySelector('.starting')).opacity === '1'`);
    await waitFor('the sign', waitMs, async () => (await isShown()) === true);
    expect(await sign.count()).toBe(1);
    letGo();
    await settled(page);
    expect(await sign.count()).toBe(0);
  });

  test('rows of the previous filter are shown as such, and lead nowhere', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    for (let n = 0; n < 60; n += 1) await dashboard.harness.credit(customer.accountId, '1');
    const page = await dashboard.openAs(customer, '/transactions');
    const { letGo } = await hold(page, /\/api\/transactions\?.*type=refund/);
    await page.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Refund' }).click();
    const former = page.locator('.data-table-rows[aria-busy=true]');
    await former.waitFor();
    expect(await former.getByRole('row').count()).toBeGreaterThan(1);
    const address = page.url();
    await former.getByRole('link', { name: 'Next page' }).click();
    letGo();
    await page.getByText('No transactions match').waitFor();
    expect(page.url()).toBe(address);
    dashboard.expectClean();
  });

  test('a key whose response was lost is created once, and shown', async () => {
    const page = await dashboard.openAs(await dashboard.harness.createCustomer({ usd: '5' }), '/keys');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('once');
    const { promise: mayFail, resolve: fail } = Promise.withResolvers<void>();
    const isCreation = (route: Route) => route.request().method() === 'POST';
    await page.route('**/api/proxy-keys', async (route) => {
      if (!isCreation(route)) return route.fallback();
      await route.fetch();
      await mayFail;
      await route.fulfill({ status: 504, body: '' });
    });
    await form.getByRole('button', { name: 'Create' }).click();
    // If it were closed now, it could not show the key.
    await form.getByRole('button', { name: 'Cancel' }).and(page.locator(':disabled')).waitFor();
    await page.keyboard.press('Escape');
    fail();
    await form.getByRole('alert').waitFor();
    await page.unroute('**/api/proxy-keys');
    await form.getByRole('button', { name: 'Create' }).click();
    const key = await page.getByRole('dialog').getByLabel('API key').inputValue();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /once/ }).waitFor();
    expect(await page.getByRole('row', { name: /once/ }).count()).toBe(1);
    const headers = { authorization: `Bearer ${key}` };
    const { status } = await fetch(`${dashboard.proxy.url}/v1/key`, { headers });
    expect(status).toBe(200);
    dashboard.expectClean();
  });

  test('a visitor receives the texts of one language, and keeps it while another cannot be loaded', async () => {
    const { visitor } = await signedIn();
    const page = await visitor.context.newPage();
    const texts: string[] = [];
    page.on('request', (request) => texts.push(...(/texts-\w+/.exec(request.url()) ?? [])));
    await page.goto(`${dashboard.admin.url}/keys`);
    await settled(page);
    await page.getByRole('link', { name: 'Models' }).click();
    await page.getByRole('heading', { name: 'Models' }).waitFor();
    expect(texts).toEqual(['texts-en']);
    const chooseRussian = async () => {
      await page.locator('.user-button').click();
      await page.getByText('Русский', { exact: true }).click();
    };
    await page.route('**/assets/texts-ru*', (route) => route.abort());
    await chooseRussian();
    const alert = page.getByRole('alert').filter({ hasText: 'No connection' });
    await alert.waitFor();
    await expectAccessible(page);
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    await alert.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('Escape');

    await page.unroute('**/assets/texts-ru*');
    await chooseRussian();
    await page.getByRole('heading', { name: 'Модели' }).waitFor();
  });

  test('the page is loaded again when a newer build has taken the place of the texts', async () => {
    const page = await dashboard.openAs(await dashboard.harness.createCustomer({ usd: '5' }), '/keys');
    await page.route('**/assets/texts-ru*', (route) => route.fulfill({ status: 404 }), { times: 1 });
    await page.locator('.user-button').click();
    await page.getByText('Русский', { exact: true }).click();
    await page.getByRole('heading', { name: 'Ключи' }).waitFor();
  });

  test('a sign-out that the server did not receive says so', async () => {
    const page = await dashboard.openAs(await dashboard.harness.createCustomer({ usd: '5' }), '/profile');
    await page.route('**/api/auth/logout', (route) => route.fulfill({ status: 503, json: {} }));
    await page.getByRole('button', { name: /^Account: / }).click();
    await page
      .getByRole('dialog', { name: /^Account: / })
      .getByRole('button', { name: 'Sign out' })
      .click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.getByRole('alert').getByText('Signed out in this browser only').waitFor();
    await expectAccessible(page);
    dashboard.expectClean();
  });

  test('a tile that could not be loaded can be loaded again', async () => {
    const { customer, visitor } = await signedIn();
    await makeRequest(customer);
    const page = await visitor.context.newPage();
    await page.route('**/api/usage?*', (route) => route.fulfill({ status: 503, json: {} }));
    await page.goto(`${dashboard.admin.url}/`);
    const tile = page.locator('.tile', { hasText: 'today' });
    await tile.getByText('Temporarily unavailable').waitFor();
    await expectAccessible(page);
    const asked = page.waitForRequest('**/api/usage?*');
    await tile.getByRole('button', { name: 'Try again' }).click();
    await asked;
    await page.unroute('**/api/usage?*');
    // The page also retries by itself, and then there is no button.
    await waitFor('the tile', waitMs, async () => {
      const again = tile.getByRole('button', { name: 'Try again' });
      await again.click({ timeout: 100 }).catch(() => {});
      return (await again.count()) === 0;
    });
    await tile.getByText('1 request').waitFor();
  });

  test('what a running request holds is shown while it runs, beside live events', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    await makeRequest(customer);
    const page = await dashboard.openAs(customer, '/');
    const reserved = page.locator('.tile', { hasText: 'Reserved' }).locator('.tile-value');
    expect(await reserved.innerText()).toBe('$0.00');
    const { promise, resolve } = Promise.withResolvers<void>();
    dashboard.provider.on('upstream-chat', async (truth, request) => {
      await promise;
      return wholeResponse({ content: 'late' })(truth, request);
    });
    const request = makeRequest(customer, false);
    await waitFor('the hold', waitMs, async () => (await reserved.innerText()) !== '$0.00');
    resolve();
    await request;
    await waitFor('its end', waitMs, async () => (await reserved.innerText()) === '$0.00');
    dashboard.expectClean();
  });

  async function makeRequest(customer: Customer, isScripted = true): Promise<void> {
    if (isScripted) dashboard.provider.on('upstream-chat', wholeResponse({ content: 'Hello' }));
    const headers = { authorization: `Bearer ${customer.proxyKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({
      model: 'test/chat',
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 500,
    });
    const response = await fetch(`${dashboard.proxy.url}/v1/chat/completions`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(await response.text());
    await response.text();
  }

  test('a page polls without live events', async () => {
    const { customer, visitor } = await signedIn();
    await makeRequest(customer);
    const page = await visitor.context.newPage();
    await page.route('**/api/events', (route) => route.fulfill({ status: 503, json: {} }));
    await page.goto(`${dashboard.admin.url}/activity`);
    await settled(page);
    const rows = page.getByRole('row', { name: /test\/chat/ });
    await waitFor('the first request', waitMs, async () => (await rows.count()) === 1);
    await makeRequest(customer);
    await waitFor('the second request', waitMs, async () => (await rows.count()) === 2);
    expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
  });

  test('a tab polls when the one that reads the events has fallen silent', async () => {
    const { customer, visitor } = await signedIn();
    await makeRequest(customer);
    // Another tab has the lock, announces that it reads, and is then suspended.
    const reader = await visitor.context.newPage();
    await reader.goto(`${dashboard.admin.url}/api/docs`);
    await reader.evaluate(async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      void navigator.locks.request('gateway.live', () => {
        resolve();
        return new Promise(() => {});
      });
      await promise;
    });
    const page = await visitor.context.newPage();
    await page.clock.install();
    await page.goto(`${dashboard.admin.url}/activity`);
    await settled(page);
    // From here on its time passes only as the test says, however long this takes.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
    await reader.evaluate(() => new BroadcastChannel('gateway.live').postMessage({ kind: 'open' }));
    const live = page.getByText('Live', { exact: true });
    await live.waitFor();
    await page.clock.fastForward(39_000);
    expect(await live.count()).toBe(1);
    await page.clock.fastForward(2_000);
    await live.waitFor({ state: 'detached' });
    const asked = page.waitForRequest('**/api/requests?*');
    await page.clock.resume();
    await page.clock.runFor(10_000);
    await asked;
  });
});
