/** What is shown of second factors: accessible, in both languages, and on a phone. */
import { afterAll, beforeAll, describe, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { chromiumPath } from '../../harness/clients/browser.ts';
import type { Customer } from '../../harness/customers.ts';
import { expectAudited } from '../harness/audit.ts';
import { type Dashboard, type DashboardVisitor, startDashboard } from '../harness/dashboard.ts';
import { seedApp, seedPasskeys } from '../harness/second-factor.ts';
import { confirmByPassword, dialogOf, enterPassword, heading, press } from './people.ts';

describe.skipIf(!chromiumPath)('of second factors,', () => {
  let dashboard: Dashboard;
  let guarded: DashboardVisitor;
  let newcomer: Customer;
  let email: string;
  beforeAll(async () => {
    dashboard = await startDashboard();
    const { harness } = dashboard;
    const customer = await harness.createCustomer({ usd: '0' });
    email = customer.email;
    const { recoveryCodes } = await seedApp(dashboard, customer);
    await seedPasskeys(harness, customer.userId, ['x'.repeat(100), 'Laptop']);
    guarded = await dashboard.newVisitor();
    await guarded.signIn({ ...customer, code: recoveryCodes[0] ?? '' });
    newcomer = await harness.createCustomer({ usd: '0' });
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  let tab: Page | undefined;
  const visitGuarded = async () => {
    tab = await guarded.visit('/profile', tab);
    return tab;
  };
  const audit = async (page: Page) => {
    await expectAudited(page);
    dashboard.expectClean();
  };
  const inRow = (page: Page, name: string) =>
    page
      .getByRole('row', { name: /Laptop/ })
      .getByRole('button', { name })
      .click();
  const dialogs: readonly (readonly [string, (page: Page) => Promise<unknown>])[] = [
    ['the section with all of them', async () => {}],
    ['the dialog that adds a passkey', (page) => press(page, 'Add passkey')],
    ['the dialog that renames a passkey', (page) => inRow(page, 'Rename')],
    ['the dialog that removes a passkey', (page) => inRow(page, 'Remove')],
    ['the dialog that removes the app', (page) => press(page, 'Remove')],
    [
      'the question who it is',
      async (page) => {
        await dashboard.harness.database.sql`UPDATE factor_challenges SET used_at = now() - interval '1 hour'`;
        await press(page, 'New codes');
        await dialogOf(page, 'Get new recovery codes?').getByRole('button', { name: 'New codes' }).click();
        await dialogOf(page, 'Confirm that it’s you').getByLabel('Code').waitFor();
      },
    ],
  ];

  test.each([...dialogs])('%s is accessible and fits a phone', async (_, open) => {
    const page = await visitGuarded();
    await page.getByRole('row', { name: /Laptop/ }).waitFor();
    await open(page);
    await audit(page);
  });

  test('the dialogs that set up an app and show recovery codes are accessible and fit a phone', async () => {
    const page = await dashboard.openAs(newcomer, '/profile');
    await press(page, 'Set up authenticator app');
    await dialogOf(page, 'Confirm that it’s you').waitFor();
    await expectAudited(page);
    await page.reload();
    await press(page, 'Set up authenticator app');
    await confirmByPassword(page);
    await page.getByRole('img', { name: 'Scan this with the authenticator app' }).waitFor();
    await expectAudited(page);
    // The codes are shown to those who have a second factor.
    const other = await visitGuarded();
    const recoveryCodes = Array.from({ length: 10 }, (_, index) => `K7QH-2M9X-PD4T-WZ8${index}`);
    await other.route('**/recovery-codes', (route) => route.fulfill({ status: 201, json: { recoveryCodes } }));
    await press(other, 'New codes');
    const question = dialogOf(other, 'Get new recovery codes?');
    await question.getByRole('button', { name: 'New codes' }).click();
    await dialogOf(other, 'Save your recovery codes').waitFor();
    // It fades while the next one is there already.
    await question.waitFor({ state: 'detached' });
    await audit(other);
  });

  test.each(['Code', 'Recovery code'])('the field “%s” of a log-in is accessible and fits a phone', async (label) => {
    const page = await dashboard.openAs(undefined, '/login');
    await enterPassword(page, email);
    await heading(page, 'Confirm your sign-in');
    if (label === 'Recovery code') await press(page, 'Use a recovery code');
    await page.getByLabel(label).waitFor();
    await audit(page);
  });

  test('the refusal of an owner who has none is accessible and fits a phone', async () => {
    const page = await dashboard.openAs(newcomer, '/organization?tab=sign-in');
    await page.getByRole('switch').click();
    await page.getByRole('alert').waitFor();
    await audit(page);
  });
});
