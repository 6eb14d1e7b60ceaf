/** The main flow by keyboard alone: sign in, create a key, copy it, done. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { chromiumPath } from '../harness/clients/browser.ts';
import { testPassword } from '../harness/customers.ts';
import { type Dashboard, startDashboard } from './harness/dashboard.ts';

/** More than any page requires. */
const tabsMax = 60;

describe.skipIf(!chromiumPath)('by keyboard alone,', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  test('a customer signs in, creates a key, copies it and is back where they were', async () => {
    const { email, accountId } = await dashboard.harness.createCustomer({ usd: '5' });
    await dashboard.harness.database.sql`UPDATE api_keys SET deleted_at = now() WHERE account_id = ${accountId}`;
    const visitor = await dashboard.newVisitor();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await visitor.visit('/login');
    await tabTo(page, 'Email');
    await page.keyboard.type(email);
    await tabTo(page, 'Password');
    await page.keyboard.type(testPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await tabTo(page, 'Keys');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Keys', exact: true }).waitFor();
    await tabTo(page, 'Create key');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    // The dialog has taken the focus to its first field.
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    const key = await page.getByLabel('API key').inputValue();
    await tabTo(page, 'Copy');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(key);
    await tabTo(page, 'Done');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /by keyboard/ }).waitFor();
    await waitFor('the focus to be back', guardTimeoutMs, async () => (await nameOfFocused(page)) === 'Create key');
    dashboard.expectClean();
  });
});

/** Presses Tab until the element with this name has the focus, and expects the focus to be visible. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let tabs = 0; tabs < tabsMax; tabs += 1) {
    if ((await nameOfFocused(page)) === name) {
      expect(await page.evaluate(isMarked)).toBe(true);
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`“${name}” is not reached by Tab`);
}

const nameOfFocused = (page: Page) =>
  page.evaluate<string | undefined>(`(() => {
    const { activeElement: element } = document;
    const label = element?.labels?.[0]?.firstChild?.textContent;
    return (element?.getAttribute('aria-label') ?? label ?? element?.textContent)?.trim();
  })()`);

/** An outline, or for fields a border, shows the focus. */
const isMarked = `(() => {
  const { activeElement: element } = document;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  return element.matches('input, textarea, select') || (outlineStyle !== 'none' && outlineWidth !== '0px');
})()`;
