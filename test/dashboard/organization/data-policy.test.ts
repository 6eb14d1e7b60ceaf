/** Which providers may see requests, in the settings of the organization and in the dialog of a key. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { namedCatalogue } from '../../harness/providers/named-catalogue.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { createMember } from '../harness/organization.ts';
import { confirm, pressInRow } from './people.ts';

const path = '/organization?tab=settings';

const choose = async (form: Locator, label: string, name: string) => {
  const field = form.getByRole('combobox', { name: label });
  const option = form.page().getByRole('option', { name });
  await field.click();
  await option.click();
  // The options may cover the button that is pressed next.
  await field.blur();
  await option.waitFor({ state: 'hidden' });
};

describe.skipIf(!chromiumPath)('the data policy', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({ catalogue: namedCatalogue });
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  test('of the organization is saved by its owner, and an unknown country is shown at its field', async () => {
    const owner = await dashboard.harness.createCustomer({ usd: '5' });
    const page = await dashboard.openAs(owner, path);
    const section = page.getByRole('region', { name: 'Data policy' });
    const countries = section.getByLabel('Countries');
    const apply = section.getByRole('button', { name: 'Apply' });
    await section.getByLabel('Only providers that store no requests').check();
    await choose(section, 'Not these providers', 'yandex');
    await countries.fill('de, EU');
    await apply.click();
    await section.getByText('“EU” is not a country.').waitFor();
    await countries.fill('de, fr');
    await apply.click();
    await section.locator('input[value="DE, FR"]').waitFor();
    expect(await section.getByText('is not a country').count()).toBe(0);
    const { sql } = dashboard.harness.database;
    const [row] = await sql`SELECT data_policy FROM organization_settings WHERE account_id = ${owner.accountId}`;
    expect(row?.data_policy).toEqual({ zdr: true, countries: ['DE', 'FR'], ignore: ['yandex'] });
    await page.reload();
    await countries.waitFor();
    expect(await section.getByLabel('Only providers that store no requests').isChecked()).toBe(true);
    expect(await section.getByLabel('Only providers that do not train').isChecked()).toBe(false);
    dashboard.expectClean();
  });

  test('of the organization is seen by a member, who cannot change it', async () => {
    const { accountId } = await dashboard.harness.createCustomer({ usd: '5' });
    const { sql } = dashboard.harness.database;
    await sql`INSERT INTO organization_settings (account_id, data_policy) VALUES (${accountId}, '{"countries": ["DE"]}')`;
    const page = await dashboard.openAs(await createMember(dashboard.harness, { accountId, role: 'member' }), path);
    const section = page.getByRole('region', { name: 'Data policy' });
    const countries = section.getByLabel('Countries');
    await countries.waitFor();
    expect([await countries.inputValue(), await countries.isDisabled()]).toEqual(['DE', true]);
    expect(await section.getByRole('button', { name: 'Apply' }).count()).toBe(0);
    dashboard.expectClean();
  });

  test('of a key is chosen in its dialog, shown with its limits, and removed', async () => {
    const page = await dashboard.openAs(await dashboard.harness.createCustomer({ usd: '5' }), '/keys');
    const dialog = page.getByRole('dialog');
    await pressInRow(page, /test/, 'Edit');
    await dialog.getByRole('button', { name: 'Set limits' }).click();
    await dialog.getByLabel('Only providers that do not train').check();
    await choose(dialog, 'Only these providers', 'azure');
    await dialog.getByLabel('Countries').fill('Germany');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('“Germany” is not a country.').waitFor();
    await dialog.getByLabel('Countries').fill('');
    await confirm(page, 'Save');
    await page.getByRole('row', { name: /test/ }).getByText('Data policy').waitFor();
    await pressInRow(page, /test/, 'Edit');
    const denies = dialog.getByLabel('Only providers that do not train');
    expect(await denies.isChecked()).toBe(true);
    await denies.uncheck();
    await choose(dialog, 'Only these providers', 'azure');
    await confirm(page, 'Save');
    await page.getByRole('row', { name: /test/ }).getByText('Data policy').waitFor({ state: 'detached' });
    dashboard.expectClean();
  });
});
