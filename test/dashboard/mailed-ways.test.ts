/** Flows that lead to a mail and continue from it: a low balance, and a forgotten password. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../harness/clients/browser.ts';
import { testPassword } from '../harness/customers.ts';
import { type Dashboard, settled, startDashboard } from './harness/dashboard.ts';

describe.skipIf(!chromiumPath)('a customer', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

  test('gets a mail once the threshold for alerts is above the balance', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '100' });
    const page = await dashboard.openAs(customer, '/alerts');
    const threshold = page.getByLabel('Threshold, ₽');
    await threshold.fill('1,5,0');
    await press(page, 'Save');
    await page.getByText('Enter an amount from 0 to 10,000,000').waitFor();
    await threshold.fill('50000.55');
    const emails = page.getByRole('switch', { name: 'Low-balance emails' });
    if (!(await emails.isChecked())) await page.getByText('Low-balance emails', { exact: true }).click();
    await press(page, 'Save');
    await page.getByText('The balance is below the threshold.').waitFor();
    const mail = await dashboard.mail(customer.email, /balance/i);
    expect(mail.part('text/plain')).toContain('$100.00');
    await page.reload();
    await settled(page);
    expect(await threshold.inputValue()).toBe('50000.55');
    expect(await emails.isChecked()).toBe(true);
    dashboard.expectClean();
  });

  test('can choose a new password by a mailed link after forgetting it', async () => {
    const { email } = await dashboard.harness.createCustomer({ usd: '0' });
    const page = await dashboard.openAs(undefined, '/login');
    const signIn = async (password: string) => {
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await press(page, 'Sign in');
    };
    await signIn('not the password at all');
    await page.getByText('Wrong email or password.').waitFor();
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    // The page that is left has a field of the same name.
    await heading(page, 'Reset your password');
    await page.getByLabel('Email').fill(email);
    await press(page, 'Send link');
    await heading(page, 'Check your email');
    await page.goto(dashboard.admin.url + (await dashboard.mailedPath(email)));
    const password = 'a brand new pass phrase';
    await page.getByLabel('New password').fill('too short');
    await press(page, 'Reset password');
    await page.getByText('Use at least 12 characters').waitFor();
    await page.getByLabel('New password').fill(password);
    await press(page, 'Reset password');
    await heading(page, 'Your password is changed');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await heading(page, 'Sign in to your account');
    await signIn(testPassword);
    await page.getByText('Wrong email or password.').waitFor();
    await signIn(password);
    await heading(page, 'Overview');
    dashboard.expectClean();
  });
});
