/** What a page requests before its first script, which takes longest, has arrived. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Request } from 'playwright-core';
import { waitFor } from '../harness/account-view.ts';
import { chromiumPath } from '../harness/clients/browser.ts';
import { type Dashboard, type DashboardVisitor, settled, startDashboard } from './harness/dashboard.ts';

const waitMs = 120_000;

describe.skipIf(!chromiumPath)('before its first script has arrived, a page requests', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  /** Opens the page, and holds its first script until all the addresses have been requested. */
  async function openHeld({ context }: DashboardVisitor, path: string, wanted: readonly RegExp[]) {
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request: Request) => asked.push(new URL(request.url()).pathname));
    const html = await (await fetch(dashboard.admin.url)).text();
    const [, first] = /<script type="module" src="([^"]+)">/.exec(html) ?? [];
    if (first === undefined) throw new Error('The page has no first script.');
    const isPolled = () => wanted.every((pattern) => asked.some((address) => pattern.test(address)));
    await page.route(`**${first}`, async (route) => {
      await waitFor('the early requests', waitMs, async () => isPolled());
      await route.continue();
    });
    await page.goto(dashboard.admin.url + path);
    await settled(page);
    return { page, asked };
  }

  test('who is signed in, and for its own script', async () => {
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(await dashboard.harness.createCustomer({ usd: '5' }));
    const { asked } = await openHeld(visitor, '/usage', [/^\/api\/auth\/refresh$/, /usage-page-\w+\.js$/]);
    // It uses the response that it finds instead of requesting it again.
    expect(asked.filter((address) => address === '/api/auth/refresh')).toHaveLength(1);
  });

  test('the script of a page whose address has an id', async () => {
    const { harness } = dashboard;
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(await harness.createCustomer({ usd: '0', role: 'operator' }));
    const { accountId } = await harness.createCustomer({ usd: '5' });
    await openHeld(visitor, `/operator/accounts/${accountId}`, [/account-page-\w+\.js$/]);
  });

  test('nothing of a page that a visitor without a session will not see', async () => {
    const { page, asked } = await openHeld(await dashboard.newVisitor(), '/usage', []);
    expect(new URL(page.url()).pathname).toBe('/login');
    expect(asked.filter((address) => /usage-page|refresh/.test(address))).toEqual([]);
  });
});
