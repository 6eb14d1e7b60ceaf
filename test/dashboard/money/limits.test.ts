/** Limits of keys as people type them, in both languages. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { expectAccessible, expectFits } from '../harness/audit.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';

describe.skipIf(!chromiumPath)('the limit of a key', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  test('needs a confirmation for “1,000”, which is never saved as one dollar', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    const page = await dashboard.openAs(customer, '/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('production');
    await page.getByRole('button', { name: 'Set limits' }).click();
    await page.getByLabel('Daily limit, $').fill('1,000');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('This could be 1000 or 1.00. Enter the one that you mean').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Daily limit, $').fill('1,000.00');
    await page.getByLabel('Monthly limit, $').fill('20 000');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: /production/ });
    await row.getByText('of $1,000.00').waitFor();
    await row.getByText('of $20,000.00').waitFor();
    await page.getByRole('columnheader', { name: 'Today' }).waitFor();
    await expectFits(page);
    dashboard.expectClean();
  });

  test('is shown with the decimal comma in Russian, and saved again unchanged', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '5' });
    const visitor = await dashboard.newVisitor({ locale: 'ru-RU' });
    await visitor.signIn(customer);
    const page = await visitor.visit('/keys');
    const limit = page.getByLabel('Лимит в день, $');
    await page.getByRole('button', { name: 'Создать ключ' }).click();
    await page.getByLabel('Название').fill('сайт');
    await page.getByRole('button', { name: 'Задать ограничения' }).click();
    await limit.fill('1,2345');
    await page.getByRole('button', { name: 'Создать', exact: true }).click();
    await page.getByRole('button', { name: 'Готово' }).click();
    const edit = () => page.getByRole('row', { name: /сайт/ }).getByRole('button', { name: 'Изменить' }).click();
    await edit();
    expect(await limit.inputValue()).toBe('1,2345');
    await limit.fill('1,234');
    await page.getByRole('button', { name: 'Сохранить' }).click();
    await page.getByText('Неясно, 1234 это или 1,2340.').waitFor();
    await limit.fill('1,2340');
    await page.getByRole('button', { name: 'Сохранить' }).click();
    await page.getByText('Ключ «сайт» сохранён.').waitFor();
    await edit();
    expect(await limit.inputValue()).toBe('1,2340');
    dashboard.expectClean();
  });
});
