/** What the tests of second factors do in a browser. */
import type { Page } from 'playwright-core';
import { testPassword } from '../../harness/customers.ts';

export const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

export const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name });

/** The first step. */
export async function enterPassword(page: Page, email: string): Promise<void> {
  await heading(page, 'Sign in to your account');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(testPassword);
  await press(page, 'Sign in');
}

/** Of someone who has no second factor. */
export async function confirmByPassword(page: Page): Promise<void> {
  const dialog = dialogOf(page, 'Confirm that it’s you');
  await dialog.getByLabel('Password').fill(testPassword);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** The secret of the app that is being set up. */
export const secretOf = (page: Page) => page.getByLabel('Secret, if you cannot scan').inputValue();

/** Those that are shown, and closes them. */
export async function takeRecoveryCodes(page: Page): Promise<string[]> {
  const dialog = dialogOf(page, 'Save your recovery codes');
  await dialog.waitFor();
  const codes = await dialog.getByRole('listitem').allInnerTexts();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await dialog.waitFor({ state: 'detached' });
  return codes;
}
