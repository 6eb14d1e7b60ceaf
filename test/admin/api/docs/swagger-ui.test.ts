/** Swagger UI in a real browser without a network shows both documents and calls both programs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { guardTimeoutMs, readLedger, waitFor } from '../../../harness/account-view.ts';
import { type Browser, chromiumPath, openBrowser, type WatchedPage } from '../../../harness/clients/browser.ts';
import { testPassword } from '../../../harness/customers.ts';
import { type Gateway, startGateway } from '../../../harness/gateway.ts';
import type { OpenApiDocument } from '../../../harness/openapi/operations-of.ts';
import { operationsOf } from '../../../harness/openapi/operations-of.ts';
import { catalogueOfEachKind } from '../../../harness/providers/each-kind.ts';
import { wholeResponse } from '../../../harness/providers/scripted-provider.ts';
import { type Api, startApi } from '../start-api.ts';

describe.skipIf(!chromiumPath)('Swagger UI', () => {
  let gateway: Gateway;
  let admin: Api;
  let browser: Browser;
  beforeAll(async () => {
    gateway = await startGateway({ catalogue: (baseUrl) => catalogueOfEachKind(baseUrl, 'demo') });
    // Restarted, because the proxy's address is known only now.
    admin = await startApi(gateway.harness, { environment: { PROXY_PUBLIC_URL: gateway.proxy.url } });
    browser = await openBrowser(chromiumPath ?? '');
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await admin?.stop();
    await gateway.stop();
  });

  const documentAt = async (url: string) => (await (await fetch(url)).json()) as OpenApiDocument;
  /** Of a long document, the page has only the operations that are in view. */
  const scrollThrough = async (page: Page, isDone: () => Promise<boolean>) => {
    await page.locator('.opblock').first().waitFor();
    await page.evaluate('window.scrollTo(0, 0)');
    await waitFor('the operations', guardTimeoutMs, async () => {
      if (await isDone()) return true;
      await page.evaluate(`window.scrollTo(0, window.scrollY + window.innerHeight < document.body.scrollHeight - 1
        ? window.scrollY + window.innerHeight / 2 : 0)`);
      return false;
    });
  };
  const shows = async (page: Page, url: string) => {
    const ids = operationsOf(await documentAt(url)).map(
      ({ tags, operationId }) => `operations-${tags?.[0]}-${operationId}`,
    );
    const shown = new Set<string>();
    await scrollThrough(page, async () => {
      const blocks = await page.locator('.opblock').evaluateAll((all) => all.map(({ id }) => id));
      for (const id of blocks) shown.add(id.replaceAll('_', ' '));
      return shown.size >= ids.length;
    });
    expect([...shown].sort()).toEqual(ids.sort());
    expect(await page.locator('.errors-wrapper').count()).toBe(0);
  };
  /** Whatever the tab has stored is restored before the first operation is shown. */
  const expectUnlocked = async (page: Page) => {
    await page.locator('.opblock').first().waitFor();
    expect(await page.locator('.authorize.unlocked').count()).toBe(1);
  };
  const authorize = async (page: Page, token: string) => {
    await page.click('.auth-wrapper .authorize');
    await page.fill('.auth-container input', token);
    await page.click('.auth-container button[type=submit]');
    await page.click('.btn-done');
  };
  /** For people who want to look at it: SCREENSHOTS names a folder. */
  const picture = async (page: Page, name: string) => {
    if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}.png`) });
  };
  /** The response that the page shows. */
  const execute = async (page: Page, operation: string, body?: object) => {
    await scrollThrough(page, async () => (await page.locator(`#${operation}`).count()) === 1);
    await page.click(`#${operation} .opblock-summary-control`);
    await page.click(`#${operation} .try-out__btn`);
    if (body !== undefined) await page.fill(`#${operation} textarea.body-param__text`, JSON.stringify(body));
    await page.click(`#${operation} .execute`);
    const response = page.locator(`#${operation} .live-responses-table tbody .response`);
    const status = await response.locator('.response-col_status').innerText();
    const text = await response.locator('.highlight-code pre').innerText();
    await response.scrollIntoViewIfNeeded();
    return { status: Number.parseInt(status, 10), text };
  };
  /** Only our two programs were called, and no call failed or was blocked. */
  const expectClean = ({ requests, complaints }: WatchedPage) => {
    const origins = requests.map((url) => new URL(url)).filter(({ protocol }) => protocol !== 'data:');
    const foreign = origins.filter(({ origin }) => ![admin.url, gateway.proxy.url].includes(origin));
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
  };

  test('shows the account API, no document of elsewhere, and the balance once logged in', async () => {
    const { email } = await gateway.harness.createCustomer({ usd: '5' });
    const visitor = await browser.newVisitor();
    const watched = await visitor.openPage(
      `${admin.url}/api/docs?document=elsewhere&url=https://elsewhere.example/openapi.json`,
    );
    const { page } = watched;
    await shows(page, `${admin.url}/api/docs/json`);
    await picture(page, 'account');

    const login = await execute(page, 'operations-Authentication-login', { email, password: testPassword });
    expect(login.status).toBe(200);
    const { accessToken } = JSON.parse(login.text);
    await authorize(page, accessToken);
    const balance = await execute(page, 'operations-Money-getBalance');
    await picture(page, 'balance');
    expect(balance.status).toBe(200);
    expect(JSON.parse(balance.text)).toMatchObject({ balance: 5 });

    expect(await page.locator('.topbar select option').count()).toBe(2);
    const { info } = await documentAt(`${admin.url}/api/docs/inference.json`);
    expect(await page.selectOption('.topbar select', '/api/docs/inference.json')).toHaveLength(1);
    await page.locator('.info .title', { hasText: info?.title ?? '' }).waitFor();
    expectClean(watched);
  });

  test('shows the inference API by its link, and calls the proxy, which has another origin', async () => {
    gateway.provider.on(
      'upstream-chat',
      wholeResponse({ content: 'Hi.', usage: { promptTokens: 10, completionTokens: 5 } }),
    );
    const customer = await gateway.harness.createCustomer({ usd: '5' });
    const visitor = await browser.newVisitor();
    const watched = await visitor.openPage(`${admin.url}/api/docs?document=inference`);
    const { page } = watched;
    await shows(page, `${admin.url}/api/docs/inference.json`);
    await picture(page, 'inference');

    await authorize(page, customer.proxyKey);
    const response = await execute(page, 'operations-Chat-createChatCompletion');
    await picture(page, 'completion');
    expect(response.status).toBe(200);
    expect(JSON.parse(response.text)).toMatchObject({ choices: [{ message: { content: 'Hi.' } }] });
    await waitFor('the charge', guardTimeoutMs, async () => {
      const { spentNano } = await readLedger(gateway.harness, customer.accountId);
      return spentNano > 0n;
    });
    expectClean(watched);
  });

  test('authorization survives a reload, ends at log-out, and is not shared with other tabs', async () => {
    const { email } = await gateway.harness.createCustomer({ usd: '5' });
    const url = `${admin.url}/api/docs`;
    const visitor = await browser.newVisitor();
    // The browser takes two seconds to render the whole document, and the page is loaded four times.
    const { paths, ...document } = await documentAt(`${url}/json`);
    await visitor.context.route(`${url}/json`, (route) =>
      route.fulfill({ json: { ...document, paths: { '/api/balance': paths['/api/balance'] } } }),
    );
    const logIn = await visitor.context.request.post(`${admin.url}/api/auth/login`, {
      data: { email, password: testPassword },
    });
    const { accessToken } = await logIn.json();
    // What authorizes is the token alone.
    await visitor.context.clearCookies();
    const watched = await visitor.openPage(url);
    const { page } = watched;
    await authorize(page, accessToken);
    await page.goto(url);
    await page.locator('.authorize.locked').first().waitFor();
    expect((await execute(page, 'operations-Money-getBalance')).status).toBe(200);

    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(accessToken);
    const { page: otherTab } = await visitor.openPage(url);
    await expectUnlocked(otherTab);

    await page.click('.auth-wrapper .authorize');
    await page.click('.auth-container button[aria-label="Remove authorization"]');
    await page.goto(url);
    await expectUnlocked(page);
    expectClean(watched);
  });
});
