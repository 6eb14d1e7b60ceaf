/** The profile in the browser: name, email, password, sessions, export and deletion. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { guardTimeoutMs, waitFor } from '../harness/account-view.ts';
import { chromiumPath } from '../harness/clients/browser.ts';
import { testPassword } from '../harness/customers.ts';
import { expectAccessible, expectFits } from './harness/audit.ts';
import { type Dashboard, startDashboard } from './harness/dashboard.ts';

const newPassword = 'seven-calm-herons-fish';

describe.skipIf(!chromiumPath)('the profile', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const open = async (usd = '0') => {
    const customer = await dashboard.harness.createCustomer({ usd });
    return { customer, page: await dashboard.openAs(customer, '/profile') };
  };
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
  const logIn = (email: string, password: string, headers = {}) =>
    fetch(`${dashboard.admin.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ email, password }),
    });

  test('shows a new name in the menu immediately, as text', async () => {
    const { page } = await open();
    const name = '<img src=x onerror=alert(1)>';
    await page.getByLabel('Name', { exact: true }).fill(name);
    await press(page, 'Save');
    await waitFor('the menu', guardTimeoutMs, async () =>
      (await page.locator('.user-button').innerText()).includes(name),
    );
    await page.getByLabel('Picture address').fill('javascript:alert(1)');
    await press(page, 'Save');
    await page.getByText('Enter an https address').waitFor();
    await expectAccessible(page);
    dashboard.expectClean();
  });

  test('changes the email once the mailed link is followed, and until then the change can be cancelled', async () => {
    const { customer, page } = await open();
    const email = `${crypto.randomUUID()}@example.com`;
    const change = async (password: string) => {
      await press(page, 'Change email');
      await page.getByLabel('New email').fill(email);
      await page.getByRole('dialog').getByLabel('Current password').fill(password);
      await press(page, 'Send link');
    };
    await change('a wrong password');
    await page.getByText('This is not your current password').waitFor();
    await expectAccessible(page);
    await press(page, 'Cancel');
    await change(testPassword);
    await page.getByText(`Change to ${email} is pending`).waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await press(page, 'Cancel change');
    await page.getByText(`Your email is still ${customer.email}.`).waitFor();
    await page.getByText(`Change to ${email} is pending`).waitFor({ state: 'detached' });
    await change(testPassword);
    await press(page, 'Send link again');
    await page.goto(dashboard.admin.url + (await dashboard.mailedPath(email)));
    await heading(page, 'Your email is confirmed');
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('button', { name: `Account: ${email}` }).waitFor();
    expect((await logIn(email, testPassword)).status).toBe(200);
    dashboard.expectClean();
  });

  test('changes the password, which ends the other sessions and not this one', async () => {
    const { customer, page } = await open();
    const otherPage = await dashboard.openAs(customer, '/keys', 1);
    await page.getByLabel('Current password').fill(testPassword);
    await page.getByLabel('New password').fill('password12345678');
    await press(page, 'Change password');
    await page.getByText('This password is too easy to guess').waitFor();
    await page.getByLabel('New password').fill(newPassword);
    await press(page, 'Change password');
    await page.getByText('The password is changed').waitFor();
    expect(await page.getByLabel('Current password').inputValue()).toBe('');
    await otherPage.reload();
    await otherPage.getByText('Your session has ended').waitFor();
    await page.reload();
    await heading(page, 'Profile');
    expect((await logIn(customer.email, newPassword)).status).toBe(200);
  });

  test('lists the sessions, ends one of them, and signs out everywhere', async () => {
    const { customer, page } = await open();
    const userAgent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
    for (const headers of [{ 'user-agent': userAgent }, {}]) await logIn(customer.email, testPassword, headers);
    await page.reload();
    await page.getByRole('row', { name: /This session/ }).waitFor();
    const row = page.getByRole('row', { name: /Firefox · Windows/ });
    await row.getByRole('button', { name: 'End session' }).click();
    await page.getByRole('dialog', { name: 'End the session of Firefox · Windows?' }).waitFor();
    await expectAccessible(page);
    await press(page, 'End session');
    await row.waitFor({ state: 'detached' });
    await press(page, 'Sign out everywhere');
    await page.getByText('2 sessions are signed out immediately, including this one.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await heading(page, 'Sign in to your account');
    const left = await dashboard.harness.database.sql`
      SELECT 1 FROM refresh_tokens WHERE user_id = ${customer.userId} AND revoked_at IS NULL AND used_at IS NULL`;
    expect(left.length).toBe(0);
    dashboard.expectClean();
  });

  test('downloads everything about the account', async () => {
    const { customer, page } = await open();
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Download data')]);
    expect(file.suggestedFilename()).toBe(`account-${customer.accountId}.zip`);
    const head = await Bun.file(await file.path())
      .slice(0, 2)
      .text();
    expect(head).toBe('PK');
    await page.getByText('Your data has been downloaded.').waitFor();
  });

  test('deletes the account only with the password, and with consent to give up the exact balance', async () => {
    const { customer, page } = await open('12.340000001');
    await press(page, 'Delete account');
    const dialog = page.getByRole('dialog', { name: `Delete the account of ${customer.email}?` });
    const confirm = () => dialog.getByRole('button', { name: 'Delete account' }).click();
    await dialog.getByText('All API keys are deleted.').waitFor();
    await dialog.getByLabel('Current password').fill('a wrong password');
    await confirm();
    await dialog.getByText('This is not your current password').waitFor();
    await dialog.getByLabel('Current password').fill(testPassword);
    await confirm();
    await dialog.getByText('The account has a balance of $12.340000001').waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await confirm();
    await dialog.getByText('Agree to this, or keep the account').waitFor();
    await dialog.getByLabel('I forfeit $12.340000001').check();
    await confirm();
    await heading(page, 'Sign in to your account');
    await page.getByText(`The account of ${customer.email} is deleted.`).waitFor();
    expect((await logIn(customer.email, testPassword)).status).toBe(401);
    dashboard.expectClean();
  });
});
