/** What the tests of organizations do in a browser. */
import type { Page } from 'playwright-core';
import { testPassword } from '../../harness/customers.ts';

export const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Of the entries of the navigation. */
export const entriesOf = (page: Page) => page.locator('.navigation-link').allInnerTexts();

/** At the top of the navigation. */
export const shownOrganization = (page: Page, name: string) =>
  page.locator('.organization-row', { hasText: name }).waitFor();

export async function logIn(page: Page, email: string, password = testPassword): Promise<void> {
  await heading(page, 'Sign in to your account');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await press(page, 'Sign in');
}

/** Opens the menu at the top of the navigation, and chooses. */
export async function switchTo(page: Page, name: string): Promise<void> {
  await press(page, 'Switch organization');
  await page.getByRole('dialog').getByRole('button', { name }).click();
  await shownOrganization(page, name);
  await heading(page, 'Overview');
}

/** Presses a button in the row of a member or an invitation. */
export const pressInRow = (page: Page, row: string | RegExp, name: string) =>
  page.getByRole('row', { name: row }).getByRole('button', { name, exact: true }).click();

/** Presses a button of the dialog that is open, and waits until it is closed. */
export async function confirm(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}
