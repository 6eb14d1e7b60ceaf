/** The path of a new customer: sign up, confirm the email, sign in, create a key, send a request with it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { wholeResponse } from '../../harness/providers/scripted-provider.ts';
import { expectAccessible } from '../harness/audit.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';

const password = 'three-quiet-otters-sing';

describe.skipIf(!chromiumPath)('a new customer', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
    dashboard.provider.on(
      'upstream-chat',
      wholeResponse({ content: 'Hi.', usage: { promptTokens: 10, completionTokens: 5 } }),
    );
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const signUp = async (email: string) => {
    const visitor = await dashboard.newVisitor();
    const page = await visitor.visit('/register');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    return { visitor, page };
  };
  const signIn = async (page: Page, email: string) => {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const send = (key: string) =>
    fetch(`${dashboard.proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test/chat', messages: [{ role: 'user', content: 'Hello' }] }),
    });

  test('signs up, confirms the mailed link, signs in, and creates a key that works', async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const { page } = await signUp(email);
    await page.goto(dashboard.admin.url + (await dashboard.mailedPath(email)));
    await page.getByRole('heading', { name: 'Your email is confirmed' }).waitFor();

    const other = await dashboard.newVisitor();
    const tab = await other.visit('/keys');
    expect(new URL(tab.url()).pathname).toBe('/login');
    await signIn(tab, email);
    // The log-in leads to the page that required it.
    await tab.getByRole('heading', { name: 'Keys' }).waitFor();
    await tab.getByRole('button', { name: 'Create key' }).first().click();
    await tab.getByLabel('Name').fill('production');
    await expectAccessible(tab);
    await tab.getByRole('button', { name: 'Create' }).click();
    const field = tab.getByLabel('API key');
    const key = await field.inputValue();
    expect(key).toStartWith('ms-');
    expect(await field.getAttribute('readonly')).not.toBeNull();
    await expectAccessible(tab);
    await tab.getByRole('button', { name: 'Done' }).click();
    await tab.getByRole('row', { name: /production/ }).waitFor();
    expect(await tab.content()).not.toContain(key);

    const { accountId } = await accountOf(email);
    await dashboard.harness.credit(accountId, '5');
    expect((await send(key)).status).toBe(200);
    dashboard.expectClean();
  });

  test('sees the balance in dollars with two decimals', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(customer);
    const page = await visitor.visit('/');
    const tile = page.locator('.tile', { hasText: 'Balance' });
    expect(await tile.locator('.tile-value').innerText()).toBe('$5.00');
    dashboard.expectClean();
  });

  const accountOf = async (email: string) => {
    const [row] = await dashboard.harness.database.sql<{ accountId: number }[]>`
      SELECT account_id::int AS "accountId" FROM users WHERE email = ${email}`;
    if (row === undefined) throw new Error(`no user ${email}`);
    return row;
  };
});
