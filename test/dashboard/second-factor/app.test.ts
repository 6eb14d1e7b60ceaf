/** An authenticator app in the browser: set up, used to sign in, replaced by a recovery code, and removed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { codeOf, wrongCodeOf } from '../../admin/api/second-factor/factor-client.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { testPassword } from '../../harness/customers.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { seedApp } from '../harness/second-factor.ts';
import { confirmByPassword, dialogOf, enterPassword, heading, press, secretOf, takeRecoveryCodes } from './people.ts';

describe.skipIf(!chromiumPath)('an authenticator app', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  /** With an app, and the code to sign in with. */
  const withApp = async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const { secret, recoveryCodes } = await seedApp(dashboard, customer);
    return { secret, customer: { ...customer, code: recoveryCodes[0] ?? '' } };
  };
  /** At the second step. */
  const challenged = async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const app = await seedApp(dashboard, customer);
    const page = await dashboard.openAs(undefined, '/login');
    await enterPassword(page, customer.email);
    await heading(page, 'Confirm your sign-in');
    return { ...app, customer, page };
  };

  test('is set up once a link was opened here, where the address was confirmed on another device', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const { sql } = dashboard.harness.database;
    await sql`UPDATE users SET email_verified_at = now() WHERE id = ${customer.userId}`;
    await sql`UPDATE accounts SET ownership = 'uncertain' WHERE id = ${customer.accountId}`;
    const page = await dashboard.openAs(customer, '/profile');
    const demand = page.getByText('Before you add one, request another email');
    await demand.waitFor();
    await press(page, 'Send link');
    await page.getByText(`A link is on its way to ${customer.email}`).waitFor();
    await page.goto(dashboard.admin.url + (await dashboard.mailedPath(customer.email)));
    await heading(page, 'Your email is confirmed');
    await page.goto(`${dashboard.admin.url}/profile`);
    await page.getByRole('button', { name: 'Set up authenticator app' }).waitFor();
    expect(await demand.count()).toBe(0);
    dashboard.expectClean();
  });

  test('is set up after the password, shows recovery codes once, and then is asked for', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const page = await dashboard.openAs(customer, '/profile');
    await press(page, 'Set up authenticator app');
    const question = dialogOf(page, 'Confirm that it’s you');
    await question.getByLabel('Password').fill('a wrong password');
    await question.getByRole('button', { name: 'Confirm' }).click();
    await question.getByText('This is not your current password').waitFor();
    await confirmByPassword(page);
    await page.getByRole('img', { name: 'Scan this with the authenticator app' }).waitFor();
    const secret = await secretOf(page);
    const dialog = dialogOf(page, 'Set up authenticator app');
    await dialog.getByLabel('Code').fill(wrongCodeOf(secret));
    await page.keyboard.press('Enter');
    await dialog.getByText('This code is wrong or was already used').waitFor();
    await dialog.getByLabel('Code').fill(codeOf(secret));
    await page.keyboard.press('Enter');
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    const saved = await Bun.file(await file.path()).text();
    const codes = await takeRecoveryCodes(page);
    expect(saved).toBe(`${codes.join('\n')}\n`);
    expect(codes).toHaveLength(10);
    await page.getByText('10 codes left').waitFor();
    await page.getByText(/^Set up on /).waitFor();
    await press(page, 'Sign out');
    await enterPassword(page, customer.email);
    await heading(page, 'Confirm your sign-in');
    // The field has the focus.
    await page.locator('input[autocomplete=one-time-code]:focus').waitFor();
    await page.keyboard.type(wrongCodeOf(secret));
    await page.keyboard.press('Enter');
    await page.getByText('This code is wrong or was already used').waitFor();
    await page.getByLabel('Code').fill(codeOf(secret, 1));
    await page.keyboard.press('Enter');
    await heading(page, 'Profile');
    dashboard.expectClean();
  });

  test('can be replaced by a recovery code, each of which works once', async () => {
    const { customer, recoveryCodes, page } = await challenged();
    await press(page, 'Use a recovery code');
    await page.getByLabel('Recovery code').fill(recoveryCodes[3]?.toLowerCase() ?? '');
    await page.keyboard.press('Enter');
    await heading(page, 'Overview');
    await page.getByRole('link', { name: 'Profile' }).click();
    await page.getByText('9 codes left').waitFor();
    await press(page, 'Sign out');
    await enterPassword(page, customer.email);
    await press(page, 'Use a recovery code');
    await page.getByLabel('Recovery code').fill(recoveryCodes[3] ?? '');
    await page.keyboard.press('Enter');
    await page.getByText('This code is wrong or was already used').waitFor();
    dashboard.expectClean();
  });

  test('leads back to the password once its challenge has expired', async () => {
    const { secret, customer, page } = await challenged();
    await dashboard.harness.database.sql`
      UPDATE factor_challenges SET expires_at = now() - interval '1 second' WHERE user_id = ${customer.userId}`;
    await page.getByLabel('Code').fill(codeOf(secret, 1));
    await page.keyboard.press('Enter');
    await page.getByText('The second step took too long').waitFor();
    await enterPassword(page, customer.email);
    await page.getByLabel('Code').fill(codeOf(secret, 1));
    await page.keyboard.press('Enter');
    await heading(page, 'Overview');
    dashboard.expectClean();
  });

  test('is removed only after a code, and then the password is enough again', async () => {
    const { customer, secret } = await withApp();
    const page = await dashboard.openAs(customer, '/profile');
    // As if the log-in were long ago.
    await dashboard.harness.database.sql`UPDATE factor_challenges SET used_at = now() - interval '1 hour'`;
    await press(page, 'Remove');
    await press(page, 'Remove app');
    const question = dialogOf(page, 'Confirm that it’s you');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Confirm that it’s you first, then try again.').waitFor();
    await press(page, 'Remove app');
    await question.getByLabel('Code').fill(codeOf(secret, 1));
    await question.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('The authenticator app is removed.').waitFor();
    await page.getByRole('button', { name: 'Set up authenticator app' }).waitFor();
    await page.getByText(/codes? left/).waitFor({ state: 'detached' });
    await press(page, 'Sign out');
    await enterPassword(page, customer.email);
    await heading(page, 'Profile');
    dashboard.expectClean();
  });

  test('warns when few recovery codes are left, and new ones replace them', async () => {
    const { customer } = await withApp();
    const page = await dashboard.openAs(customer, '/profile');
    await dashboard.harness.database.sql`
      UPDATE recovery_codes SET used_at = now() WHERE user_id = ${customer.userId}
        AND id IN (SELECT id FROM recovery_codes WHERE user_id = ${customer.userId} AND used_at IS NULL LIMIT 8)`;
    await page.reload();
    await page.locator('.status:has(.status-warning)', { hasText: '1 code left' }).waitFor();
    await press(page, 'New codes');
    await dialogOf(page, 'Get new recovery codes?').getByRole('button', { name: 'New codes' }).click();
    expect(await takeRecoveryCodes(page)).toHaveLength(10);
    await page.getByText('10 codes left').waitFor();
    dashboard.expectClean();
  });

  test('is set up and used by keyboard alone', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const page = await dashboard.openAs(customer, '/profile');
    await page.getByRole('button', { name: 'Set up authenticator app' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('[role=dialog] input[type=password]:focus').waitFor();
    await page.keyboard.type(testPassword);
    await page.keyboard.press('Enter');
    await page.locator('[role=dialog] input[autocomplete=one-time-code]:focus').waitFor();
    const secret = await secretOf(page);
    await page.keyboard.type(codeOf(secret));
    await page.keyboard.press('Enter');
    await page.locator('[role=dialog] button:focus', { hasText: 'Copy' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.locator('[role=dialog] button:focus', { hasText: 'Done' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('10 codes left').waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).focus();
    await page.keyboard.press('Enter');
    await heading(page, 'Sign in to your account');
    await page.getByLabel('Email').focus();
    await page.keyboard.type(customer.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(testPassword);
    await page.keyboard.press('Enter');
    await page.locator('input[autocomplete=one-time-code]:focus').waitFor();
    await page.keyboard.type(codeOf(secret, 1));
    await page.keyboard.press('Enter');
    await heading(page, 'Profile');
    dashboard.expectClean();
  });
});
