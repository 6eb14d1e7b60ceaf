/** Every page to take a picture of, as whom, and what to open on it first. A new page is one line here. */
import type { Page } from 'playwright-core';

export interface PageToPicture {
  readonly path: string;
  /** `newcomer` has an empty account. */
  readonly as: 'stranger' | 'newcomer' | 'customer' | 'operator';
  /** The file's name; by default made of the path. */
  readonly name?: string;
  /** What to click before, in either language: use roles and positions, not texts. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

const typeAmount = (page: Page) => page.getByRole('dialog').locator('input[inputmode=decimal]').fill('1000');
const openDocument = async (page: Page) => {
  await page.locator('.row-link').first().click();
  await page.locator('canvas.pdf-page').first().waitFor();
};
/** Each opens a dialog or a side panel. */
const press = (selector: string) => async (page: Page) => {
  await page.locator(selector).first().click();
  await page.getByRole('dialog').waitFor();
};

export const demoPages: readonly PageToPicture[] = [
  { path: '/login', as: 'stranger' },
  { path: '/register', as: 'stranger' },
  { path: '/forgot-password', as: 'stranger' },
  { path: '/reset-password?token=x', as: 'stranger', name: 'reset-password' },
  { path: '/verify-email?token=x', as: 'stranger', name: 'verify-email' },
  { path: '/', as: 'newcomer' },
  { path: '/', as: 'customer' },
  { path: '/keys', as: 'newcomer' },
  { path: '/keys', as: 'customer' },
  { path: '/keys?kind=billing', as: 'customer', name: 'keys-billing' },
  { path: '/keys', as: 'customer', name: 'keys-create', prepare: press('.page-header button') },
  { path: '/keys', as: 'customer', name: 'keys-edit', prepare: press('.cell-actions button') },
  { path: '/keys', as: 'customer', name: 'keys-delete', prepare: press('.cell-actions button:last-child') },
  { path: '/models', as: 'customer' },
  { path: '/models?model=test/chat', as: 'customer', name: 'models-one' },
  { path: '/playground', as: 'customer' },
  {
    path: '/playground?with=test/chat',
    as: 'customer',
    name: 'playground-code',
    prepare: press('.page-header button:last-child'),
  },
  { path: '/activity', as: 'customer' },
  { path: '/usage', as: 'customer' },
  { path: '/transactions', as: 'customer' },
  { path: '/billing', as: 'newcomer' },
  { path: '/billing', as: 'customer' },
  { path: '/billing?topUp=1', as: 'customer', name: 'billing-top-up', prepare: typeAmount },
  { path: '/billing?tab=documents', as: 'customer', name: 'billing-documents' },
  { path: '/billing?tab=documents', as: 'customer', name: 'billing-document', prepare: openDocument },
  { path: '/billing?tab=automatic', as: 'customer', name: 'billing-automatic' },
  { path: '/billing', as: 'customer', name: 'billing-payment', prepare: press('.row-link') },
  { path: '/billing', as: 'customer', name: 'billing-refunded', prepare: press('tr:nth-child(4) .row-link') },
  { path: '/alerts', as: 'customer' },
  { path: '/company', as: 'newcomer' },
  { path: '/company', as: 'customer' },
  { path: '/profile', as: 'customer' },
  { path: '/no-such-page', as: 'customer' },
  { path: '/operator/accounts', as: 'operator' },
  { path: '/operator/accounts/2?tab=requests', as: 'operator', name: 'operator-account-requests' },
  { path: '/operator/accounts/2?tab=transactions', as: 'operator', name: 'operator-account-transactions' },
  {
    path: '/operator/accounts/2',
    as: 'operator',
    name: 'operator-credit',
    prepare: press('.page-header button:last-child'),
  },
  { path: '/operator/payments', as: 'operator' },
  { path: '/operator/payments?tab=bank', as: 'operator', name: 'operator-bank' },
  { path: '/operator/payments', as: 'operator', name: 'operator-payment', prepare: press('.row-link') },
  {
    path: '/operator/payments?status=pending',
    as: 'operator',
    name: 'operator-payment-confirm',
    prepare: async (page) => {
      await page.locator('section').nth(1).locator('.row-link').first().click();
      await page.getByRole('dialog').locator('button[data-variant=filled]').first().click();
    },
  },
  { path: '/operator/catalogue', as: 'operator' },
  { path: '/operator/catalogue?tab=change', as: 'operator', name: 'operator-catalogue-change' },
  { path: '/operator/catalogue?model=test/chat', as: 'operator', name: 'operator-catalogue-history' },
  { path: '/operator/health', as: 'operator' },
  { path: '/operator/reconciliation', as: 'operator' },
  { path: '/operator/mails', as: 'operator' },
  { path: '/operator/audit', as: 'operator' },
];
