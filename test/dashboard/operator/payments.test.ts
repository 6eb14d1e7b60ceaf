/** The list of payments and the bank transfers as operators handle them: the filters, the focus, and files chosen twice. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { type Dashboard, type DashboardVisitor, startDashboard } from '../harness/dashboard.ts';

describe.skipIf(!chromiumPath)('an operator', () => {
  let dashboard: Dashboard;
  let operator: DashboardVisitor;
  beforeAll(async () => {
    dashboard = await startDashboard();
    operator = await dashboard.newVisitor();
    await operator.signIn(await dashboard.harness.createCustomer({ usd: '0', role: 'operator' }));
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  test('keeps the focus in the field for an account, and finds the previous one there on the way back', async () => {
    const page = await operator.visit('/operator/payments?accountId=7');
    const field = page.getByLabel('Account number');
    await field.fill('8');
    await field.press('Enter');
    await page.waitForURL((url) => url.search === '?accountId=8');
    await page.getByRole('heading', { name: 'No payments match' }).waitFor();
    expect(await page.evaluate<string>('document.activeElement.value')).toBe('8');
    await page.goBack();
    await page.waitForURL((url) => url.search === '?accountId=7');
    expect(await field.inputValue()).toBe('7');
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await page.waitForURL((url) => url.search === '');
    expect(await field.inputValue()).toBe('');
    await page.close();
  });

  test('can choose the same bank statement again after it was corrected', async () => {
    const page = await operator.visit('/operator/payments?tab=bank');
    const field = page.locator('input[type=file]');
    await field.setInputFiles({ name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear Sir or Madam') });
    await page.getByRole('alert').waitFor();
    // Browsers report no change of a field that has the same file already.
    expect(await field.inputValue()).toBe('');
    await page.close();
  });
});
