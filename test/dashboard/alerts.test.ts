/**
 * Low-balance alerts in the browser: settings, what the next email depends on, additional addresses, the test email.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { chromiumPath } from '../harness/clients/browser.ts';
import { logInAt } from '../harness/log-in-at.ts';
import { expectAccessible, expectFits } from './harness/audit.ts';
import { type Dashboard, startDashboard } from './harness/dashboard.ts';

describe.skipIf(!chromiumPath)('the page of alerts', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const open = async (usd: string) => {
    const customer = await dashboard.harness.createCustomer({ usd });
    return { customer, page: await dashboard.openAs(customer, '/alerts') };
  };
  const threshold = (page: Page) => page.getByLabel('Threshold, ₽');
  const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();
  const stored = async (accountId: number) => {
    const [row] = await dashboard.harness.database.sql`
      SELECT email_enabled AS enabled, threshold_kopecks::text AS kopecks, interval_hours AS hours, language
      FROM notification_settings WHERE account_id = ${accountId}`;
    return row === undefined ? undefined : { ...row };
  };

  test('saves the threshold to the kopeck, as people write it, and shows it again', async () => {
    const { customer, page } = await open('5');
    await threshold(page).fill('1 234,567');
    await save(page);
    await page.getByText('at most two decimals').waitFor();
    await expectAccessible(page);
    expect(await stored(customer.accountId)).toBeUndefined();
    await threshold(page).fill('1 234,56');
    await page.getByLabel('Hours between emails').fill('1.5');
    await page.getByLabel('Language of the emails').selectOption('ru');
    await page.getByRole('switch', { name: 'Low-balance emails' }).click();
    await save(page);
    await page.getByText('Saved').waitFor();
    const saved = { enabled: false, kopecks: '123456', hours: 1.5, language: 'ru' };
    expect(await stored(customer.accountId)).toEqual(saved);
    await page.reload();
    expect(await threshold(page).inputValue()).toBe('1234.56');
    await page.getByText('None: emails are off').waitFor();
    dashboard.expectClean();
  });

  test('follows what others save in the fields that the reader has not changed', async () => {
    const { customer, page } = await open('5');
    await page.getByLabel('Hours between emails').fill('7');
    const token = await logInAt(dashboard.admin.url, customer);
    const response = await fetch(`${dashboard.admin.url}/api/settings/notifications`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ lowBalanceThreshold: 750, notificationIntervalHours: 12 }),
    });
    expect(response.status).toBe(200);
    let minutes = 0;
    await waitFor('the threshold', guardTimeoutMs, async () => {
      minutes += 1;
      await comeBack(page, minutes);
      return (await threshold(page).inputValue()) === '750';
    });
    expect(await page.getByLabel('Hours between emails').inputValue()).toBe('7');
    await save(page);
    await page.getByText('Saved').waitFor();
    expect(await stored(customer.accountId)).toMatchObject({ kopecks: '75000', hours: 7 });
    dashboard.expectClean();
  });

  /** What the page has read is stale when its reader comes back, so it reads again, unless it is still reading. */
  const comeBack = async (page: Page, afterMinutes: number) => {
    await page.clock.setSystemTime(Date.now() + 60_000 * afterMinutes);
    await page.evaluate('window.dispatchEvent(new Event("visibilitychange"))');
  };

  test('says what the next email depends on, and follows the balance without a reload', async () => {
    const { customer, page } = await open('0');
    await page.getByText('The balance is empty.').waitFor();
    // 90 RUB per USD, and a threshold of 500 RUB unless it is changed.
    await dashboard.harness.credit(customer.accountId, '5');
    await page.getByText('The balance is below the threshold.').waitFor();
    await dashboard.harness.credit(customer.accountId, '5.5000009');
    await page.getByText('When another ₽445.00 is spent').waitFor();
    await threshold(page).fill('0');
    await save(page);
    await page.getByText('With a threshold of 0, nothing is sent before.').waitFor();
  });

  test('adds an address that gets alerts once its reader agrees, and removes it', async () => {
    const { page } = await open('5');
    const address = `${crypto.randomUUID()}@example.com`;
    await page.getByLabel('Email address').fill('nobody');
    await page.getByRole('button', { name: 'Add address' }).click();
    await page.getByText('This is not an email address').waitFor();
    await page.getByLabel('Email address').fill(address);
    await page.getByRole('button', { name: 'Add address' }).click();
    const row = page.getByRole('row', { name: new RegExp(address) });
    await row.getByText('Not confirmed yet').waitFor();
    await expectAccessible(page);
    await expectFits(page);

    const path = await dashboard.mailedPath(address);
    const reader = await fetch(dashboard.admin.url + path, { method: 'POST' });
    expect(reader.status).toBe(200);
    await page.reload();
    await row.getByText('Gets alerts').waitFor();
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog', { name: `Remove ${address}?` }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove address' }).click();
    await row.waitFor({ state: 'detached' });
    dashboard.expectClean();
  });

  test('says why an address is refused', async () => {
    const { customer, page } = await open('5');
    await page.getByLabel('Email address').fill(customer.email.toUpperCase());
    await page.getByRole('button', { name: 'Add address' }).click();
    await page.getByText('This address already gets alerts').waitFor();
  });

  test('sends a test email, and says whether it was sent', async () => {
    const { customer, page } = await open('5');
    await page.getByRole('button', { name: 'Send test email' }).click();
    await page.getByText(`Sent to ${customer.email}. If it does not arrive`).waitFor();
    await expectFits(page);
    for (const _ of [2, 3]) await send(page);
    await page.getByRole('button', { name: 'Send test email' }).click();
    await page.getByRole('alert').getByText('Wait').waitFor();
  });

  const send = async (page: Page) => {
    const saved = page.waitForResponse('**/api/settings/notifications/test');
    await page.getByRole('button', { name: 'Send test email' }).click();
    await saved;
    await waitFor('the button', guardTimeoutMs, () =>
      page.getByRole('button', { name: 'Send test email' }).isEnabled(),
    );
  };
});
