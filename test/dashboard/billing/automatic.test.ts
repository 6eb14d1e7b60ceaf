/** Automatic top-ups in the browser: consent to their amounts, a card saved by a payment, and switching off. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { expectAccessible, expectFits } from '../harness/audit.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { paymentsEnvironment } from '../harness/payments.ts';

describe.skipIf(!chromiumPath)('automatic top-up', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({ adminEnvironment: paymentsEnvironment });
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  test('is enabled with a consent to its amounts, has the card of a payment, and is disabled', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(customer);
    const page = await visitor.visit('/billing?tab=automatic');
    await page.getByLabel('Currency').selectOption('RUB');
    await page.getByLabel('Charge, ₽').fill('1000');
    await page.getByLabel('When the balance is below, $').fill('5');
    await page.getByLabel('Daily limit, ₽').fill('900');
    await page.getByLabel('Monthly limit, ₽').fill('20000');
    await page.getByText(/₽1,000\.00 each time my balance falls below \$5\.00, at most ₽900\.00 a day/).waitFor();
    const agree = page.getByRole('checkbox', { name: 'I agree' });
    await agree.check();
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByText('At least one charge: ₽1,000.00').waitFor();
    await page.getByLabel('Daily limit, ₽').fill('3000');
    // The terms have changed, so they need a new consent.
    expect(await agree.isChecked()).toBe(false);
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByText('Read the text and agree to it.').waitFor();
    await expectAccessible(page);
    await agree.check();
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByText('Waiting for a card').waitFor();
    const [consent] = await dashboard.harness.database.sql`
      SELECT words FROM auto_top_up_consents WHERE account_id = ${customer.accountId}`;
    expect(consent?.words).toContain('automatically');
    await expectFits(page);

    await page.getByRole('button', { name: 'Pay ₽1,000.00 and save the card' }).click();
    await page.getByRole('button', { name: 'Succeed', exact: true }).click();
    await page.getByRole('dialog').getByText('Payment received').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('tab', { name: 'Automatic top-up' }).click();
    await page.getByText('On', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Switch off' }).click();
    const asked = page.getByRole('dialog');
    await asked.getByText('The saved card is removed.').waitFor();
    await asked.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('Off', { exact: true }).waitFor();
    dashboard.expectClean();
  });
});
