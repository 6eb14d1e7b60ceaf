/**
 * Company details in the browser: checked while typing, saved as the API has them, and named before they are removed.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { expectAccessible, expectFits } from '../harness/audit.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';

describe.skipIf(!chromiumPath)('company details', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const open = async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    return { customer, page: await dashboard.openAs(customer, '/company') };
  };
  const choose = (page: Page, type: string) => page.getByLabel('Account type').selectOption(type);
  const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
  const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();
  const isWrong = async (page: Page, name: string) => (await field(page, name).getAttribute('aria-invalid')) === 'true';
  const rowOf = async (accountId: number) => {
    const [row] = await dashboard.harness.database.sql`
      SELECT account_type AS "accountType", inn, kpp, ogrnip FROM company_details WHERE account_id = ${accountId}`;
    return row === undefined ? undefined : { ...row };
  };

  test('show a wrong check digit as soon as the number is complete, and not before', async () => {
    const { page } = await open();
    await choose(page, 'OOO');
    await field(page, 'INN').pressSequentially('770708389');
    expect(await isWrong(page, 'INN')).toBe(false);
    await field(page, 'INN').press('4');
    await page.getByText('The check digits do not match').waitFor();
    expect(await isWrong(page, 'INN')).toBe(true);
    await expectAccessible(page);
    await field(page, 'INN').press('Backspace');
    expect(await isWrong(page, 'INN')).toBe(false);
    await field(page, 'INN').press('3');
    await page.getByRole('img', { name: 'The check digits match' }).waitFor();
    dashboard.expectClean();
  });

  test('check an account number again when the BIK is corrected', async () => {
    const { page } = await open();
    await choose(page, 'OOO');
    await field(page, 'Checking account').fill('4060 2810 7000 0000 0025');
    expect(await isWrong(page, 'Checking account')).toBe(true);
    await field(page, 'BIK').fill('049805747');
    await page.getByText('The check digit does not match the BIK').waitFor();
    await expectFits(page);
    await field(page, 'BIK').fill('049805746');
    await waitFor('the account to be right', guardTimeoutMs, async () => !(await isWrong(page, 'Checking account')));
  });

  test('are saved step by step, and nothing wrong is saved', async () => {
    const { customer, page } = await open();
    const saved: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') saved.push(new URL(request.url()).pathname);
    });
    await choose(page, 'OOO');
    await field(page, 'INN').fill('7707083894');
    await save(page);
    await field(page, 'INN').fill('7707083893');
    await save(page);
    await page.getByText('The details are saved.').waitFor();
    expect(saved).toEqual(['/api/profile/details']);
    expect(await rowOf(customer.accountId)).toEqual({ accountType: 'OOO', inn: '7707083893', kpp: null, ogrnip: null });
    await page.reload();
    expect(await field(page, 'INN').inputValue()).toBe('7707083893');
  });

  test('are named and removed only after consent if another account type does not have them', async () => {
    const { customer, page } = await open();
    await choose(page, 'OOO');
    await field(page, 'INN').fill('7707083893');
    await field(page, 'KPP').fill('770701001');
    await save(page);
    await page.getByText('The details are saved.').waitFor();
    await choose(page, 'IP');
    await page.getByText('KPP: 770701001').waitFor();
    await expectAccessible(page);
    // A person's INN has another length, and the previous INN returns with its type.
    expect(await field(page, 'INN').inputValue()).toBe('');
    await choose(page, 'OOO');
    expect(await field(page, 'INN').inputValue()).toBe('7707083893');
    await choose(page, 'IP');
    await field(page, 'INN').fill('500100732259');
    await save(page);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('KPP 770701001').waitFor();
    expect(await rowOf(customer.accountId)).toMatchObject({ accountType: 'OOO', kpp: '770701001' });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Change and remove' }).click();
    await waitFor('the new type', guardTimeoutMs, async () => (await rowOf(customer.accountId))?.accountType === 'IP');
    expect(await rowOf(customer.accountId)).toMatchObject({ inn: '500100732259', kpp: null });
    dashboard.expectClean();
  });

  test('have the message at their field if only the API refuses them', async () => {
    const { page } = await open();
    const message = "Invalid value for 'inn': refused for a reason of its own.";
    const problem = { param: 'inn', code: 'invalid_parameter', message };
    await page.route('**/api/profile/details', (route) =>
      route.fulfill({ status: 400, json: { error: { ...problem, type: 'invalid_request_error', errors: [problem] } } }),
    );
    await choose(page, 'OOO');
    await field(page, 'INN').fill('7707083893');
    await save(page);
    await page.getByText(message).waitFor();
    expect(await isWrong(page, 'INN')).toBe(true);
    expect(await page.getByText(message).count()).toBe(1);
  });
});
