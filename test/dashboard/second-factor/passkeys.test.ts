/** Passkeys in the browser, which keeps them in a virtual authenticator: added, used with a password and without, and removed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { addAuthenticator, seedApp } from '../harness/second-factor.ts';
import { confirmByPassword, dialogOf, enterPassword, heading, press, takeRecoveryCodes } from './people.ts';

describe.skipIf(!chromiumPath)('a passkey', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({ host: 'localhost' });
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  /** Signed in, with a passkey as the only factor. */
  const withPasskey = async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(customer);
    const page = await visitor.visit('/profile');
    const authenticator = await addAuthenticator(visitor.context, page);
    await press(page, 'Add passkey');
    const dialog = dialogOf(page, 'Add passkey');
    const suggested = await dialog.getByLabel('Name').inputValue();
    await dialog.getByLabel('Name').fill('Laptop');
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await confirmByPassword(page);
    const recoveryCodes = await takeRecoveryCodes(page);
    await page.getByRole('row', { name: /Laptop/ }).waitFor();
    return { customer, page, authenticator, suggested, recoveryCodes };
  };

  test('is added under a name, and is enough to sign in, without an email or a password', async () => {
    const { page, authenticator, suggested, recoveryCodes } = await withPasskey();
    expect(suggested).toBe('Chrome on Linux');
    expect(recoveryCodes).toHaveLength(10);
    expect(await authenticator.count()).toBe(1);
    await press(page, 'Sign out');
    await heading(page, 'Sign in to your account');
    await press(page, 'Use a passkey');
    await heading(page, 'Profile');
    dashboard.expectClean();
  });

  test('is the second factor after a password', async () => {
    const { customer, page } = await withPasskey();
    await press(page, 'Sign out');
    await enterPassword(page, customer.email);
    await heading(page, 'Confirm your sign-in');
    // Nothing else is asked for, but a recovery code would do.
    expect(await page.getByRole('textbox').count()).toBe(0);
    await page.getByRole('button', { name: 'Use a recovery code' }).waitFor();
    await page.locator('button:focus', { hasText: 'Use passkey' }).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'Profile');
    dashboard.expectClean();
  });

  test('that the device does not give leaves the visitor where they were, with the reason', async () => {
    const { customer, page, authenticator } = await withPasskey();
    await press(page, 'Sign out');
    await heading(page, 'Sign in to your account');
    await authenticator.refuse();
    await press(page, 'Use a passkey');
    await page.getByText(/^No passkey was used/).waitFor();
    await enterPassword(page, customer.email);
    await press(page, 'Use a recovery code');
    await page.getByLabel('Recovery code').waitFor();
    dashboard.expectClean();
  });

  test('is renamed, confirms its own removal, and then the password is enough again', async () => {
    const { customer, page } = await withPasskey();
    const row = page.getByRole('row', { name: /Laptop/ });
    await row.getByRole('button', { name: 'Rename' }).click();
    await dialogOf(page, 'Rename passkey').getByLabel('Name').fill('Old laptop');
    await press(page, 'Save');
    await page.getByRole('row', { name: /Old laptop/ }).waitFor();
    await dashboard.harness.database.sql`
      UPDATE factor_challenges SET used_at = now() - interval '1 hour' WHERE user_id = ${customer.userId}`;
    await page
      .getByRole('row', { name: /Old laptop/ })
      .getByRole('button', { name: 'Remove' })
      .click();
    await dialogOf(page, 'Remove the passkey “Old laptop”?').getByText('It is your last second factor').waitFor();
    await press(page, 'Remove passkey');
    await dialogOf(page, 'Confirm that it’s you').getByRole('button', { name: 'Use passkey' }).click();
    await page.getByText('The passkey “Old laptop” is removed.').waitFor();
    await page.getByRole('row', { name: /Old laptop/ }).waitFor({ state: 'detached' });
    await press(page, 'Sign out');
    await enterPassword(page, customer.email);
    await heading(page, 'Profile');
    dashboard.expectClean();
  });

  test('is not added twice to one device', async () => {
    const { page, authenticator } = await withPasskey();
    await press(page, 'Add passkey');
    const dialog = dialogOf(page, 'Add passkey');
    await dialog.getByRole('button', { name: 'Add passkey' }).click();
    await dialog.getByText('This device already has a passkey of yours.').waitFor();
    expect(await authenticator.count()).toBe(1);
    dashboard.expectClean();
  });

  test('is not offered by a browser without WebAuthn, where the code of the app is asked for', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const { recoveryCodes } = await seedApp(dashboard, customer);
    const visitor = await dashboard.newVisitor();
    await visitor.addInitScript('delete globalThis.PublicKeyCredential');
    const page = await visitor.visit('/login');
    expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
    await visitor.signIn({ ...customer, code: recoveryCodes[0] ?? '' });
    await visitor.visit('/profile', page);
    await waitFor('the profile', guardTimeoutMs, () => page.getByRole('button', { name: 'New codes' }).isVisible());
    expect(await page.getByRole('button', { name: 'Add passkey' }).count()).toBe(0);
    dashboard.expectClean();
  });
});
