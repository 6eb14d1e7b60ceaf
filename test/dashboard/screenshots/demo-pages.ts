/** Every page to take a picture of, as whom, and what to open on it first. A new page is one line here. */
import type { Page } from 'playwright-core';
import { testPassword } from '../../harness/customers.ts';
import { invitationTokens } from './seed-demo.ts';

export const pictured = ['stranger', 'newcomer', 'customer', 'member', 'operator', 'guarded', 'heldBack'] as const;

export interface PageToPicture {
  readonly path: string;
  /** `newcomer` has an empty account, and `guarded` second factors. */
  readonly as: (typeof pictured)[number];
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
const accept = (token: string) => `/accept-invitation?token=${token}`;
/** Behind the burger where the screen is narrow. */
const openMenu = async (page: Page) => {
  const burger = page.locator('.shell-header button');
  if (await burger.isVisible()) await burger.click();
  await press('.organization-button')(page);
};
/** Each opens a dialog or a side panel. */
const press = (selector: string) => async (page: Page) => {
  await page.locator(selector).first().click();
  await page.getByRole('dialog').waitFor();
};
const openLimits = async (page: Page) => {
  await press('.page-header button')(page);
  await page.getByRole('dialog').locator('button[aria-expanded=false]').click();
};

const openCache = async (page: Page) => {
  await openLimits(page);
  await page.getByRole('dialog').locator('form button[type=submit]').scrollIntoViewIfNeeded();
};

/** The list of the organization, or what is wrong with it. */
const saveAddresses = (entries: string) => async (page: Page) => {
  const form = page.locator('form', { has: page.locator('textarea') });
  await form.locator('textarea').fill(entries);
  await form.locator('button[type=submit]').click();
  await form.locator('[role=status], .mantine-Textarea-error').first().waitFor();
};

const secondStep = async (page: Page) => {
  await page.locator('input[type=email]').fill('guarded@example.com');
  await page.locator('input[type=password]').fill(testPassword);
  await page.keyboard.press('Enter');
  await page.locator('input[autocomplete=one-time-code]').waitFor();
};
const ownFactors = '#second-factor button';
const setUpApp = async (page: Page) => {
  await press(ownFactors)(page);
  const question = page.getByRole('dialog').locator('input[type=password]');
  const app = page.locator('.qr-code');
  await question.or(app).first().waitFor();
  if (await question.isVisible()) {
    await question.fill(testPassword);
    await page.keyboard.press('Enter');
  }
  await app.waitFor();
};
/** As after a while. */
const confirmByFactor = async (page: Page) => {
  const error = { message: 'Confirm first.', code: 'confirmation_required' };
  await page.route('**/api/profile/passkeys/*', (route) => route.fulfill({ status: 403, json: { error } }));
  await press(`${ownFactors} >> nth=-2`)(page);
  await page.getByRole('dialog').locator('button').last().click();
  await page.locator('input[autocomplete=one-time-code]').waitFor();
};
/** Real ones would void those that the next visitor signs in with. */
const newCodes = async (page: Page) => {
  const recoveryCodes = Array.from({ length: 10 }, (_, index) => `K7QH-2M9X-PD4T-WZ8${index}`);
  await page.route('**/recovery-codes', (route) => route.fulfill({ status: 201, json: { recoveryCodes } }));
  await press(`${ownFactors} >> nth=-1`)(page);
  await page.getByRole('dialog').locator('button').last().click();
  await page.getByRole('dialog').getByRole('listitem').first().waitFor();
};
const requireFactors = async (page: Page) => {
  await page.getByRole('switch').first().click();
  await page.getByRole('alert').waitFor();
};

const singleSignOnStep = async (page: Page) => {
  await page.locator('input[type=email]').fill('anna@nobody.example');
  await page.locator('button:has(.tabler-icon-building)').click();
  await page.locator('.mantine-TextInput-error').waitFor();
};

export const demoPages: readonly PageToPicture[] = [
  { path: '/login', as: 'stranger' },
  { path: '/login', as: 'stranger', name: 'login-second-step', prepare: secondStep },
  {
    path: '/login',
    as: 'stranger',
    name: 'login-recovery-code',
    prepare: async (page) => {
      await secondStep(page);
      await page.locator('form button').last().click();
    },
  },
  { path: '/login', as: 'stranger', name: 'login-single-sign-on', prepare: singleSignOnStep },
  { path: '/login?error=sign_in_failed&reason=invalid', as: 'stranger', name: 'login-failed' },
  { path: '/register', as: 'stranger' },
  { path: '/forgot-password', as: 'stranger' },
  { path: '/reset-password?token=x', as: 'stranger', name: 'reset-password' },
  { path: '/verify-email?token=x', as: 'stranger', name: 'verify-email' },
  { path: accept(invitationTokens.stranger), as: 'stranger', name: 'accept-new' },
  { path: accept(invitationTokens.newcomer), as: 'stranger', name: 'accept-sign-in' },
  { path: accept(invitationTokens.newcomer), as: 'newcomer', name: 'accept' },
  { path: accept(invitationTokens.newcomer), as: 'customer', name: 'accept-other' },
  { path: accept('expired'), as: 'stranger', name: 'accept-expired' },
  { path: '/', as: 'newcomer' },
  { path: '/', as: 'member' },
  { path: '/', as: 'customer' },
  { path: '/keys', as: 'newcomer' },
  { path: '/keys', as: 'customer' },
  { path: '/keys?kind=billing', as: 'customer', name: 'keys-billing' },
  { path: '/keys', as: 'customer', name: 'keys-create', prepare: press('.page-header button') },
  { path: '/keys', as: 'customer', name: 'keys-limits', prepare: openLimits },
  { path: '/keys', as: 'customer', name: 'keys-cache', prepare: openCache },
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
  { path: '/activity?project=1', as: 'customer', name: 'activity-receipt', prepare: press('.row-link') },
  { path: '/activity?model=test/chat', as: 'customer', name: 'activity-repetition', prepare: press('.row-link') },
  { path: '/usage', as: 'customer' },
  { path: '/usage?by=project', as: 'customer', name: 'usage-projects' },
  { path: '/usage?by=member', as: 'customer', name: 'usage-members' },
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
  { path: '/organization', as: 'newcomer' },
  { path: '/organization', as: 'customer' },
  { path: '/organization?tab=projects', as: 'newcomer', name: 'organization-projects' },
  { path: '/organization?tab=projects', as: 'customer', name: 'organization-projects' },
  {
    path: '/organization?tab=projects',
    as: 'customer',
    name: 'organization-project-create',
    prepare: press('.mantine-Tabs-panel button'),
  },
  {
    path: '/organization?tab=projects',
    as: 'customer',
    name: 'organization-project-edit',
    prepare: press('.cell-actions button'),
  },
  {
    path: '/organization?tab=projects',
    as: 'customer',
    name: 'organization-project-archive',
    prepare: press('.cell-actions button:last-child'),
  },
  { path: '/webhooks', as: 'newcomer' },
  { path: '/webhooks', as: 'customer' },
  { path: '/webhooks', as: 'newcomer', name: 'webhooks-add', prepare: press('.page-header button') },
  { path: '/webhooks', as: 'customer', name: 'webhooks-deliveries', prepare: press('.cell-actions button') },
  { path: '/webhooks', as: 'customer', name: 'webhooks-edit', prepare: press('.cell-actions button:nth-child(3)') },
  { path: '/organization?tab=budgets', as: 'newcomer', name: 'organization-budgets' },
  { path: '/organization?tab=budgets', as: 'customer', name: 'organization-budgets' },
  { path: '/organization?tab=budgets', as: 'member', name: 'organization-budgets' },
  {
    path: '/organization?tab=budgets',
    as: 'customer',
    name: 'organization-budget-create',
    prepare: press('.mantine-Tabs-panel button'),
  },
  {
    path: '/organization?tab=budgets',
    as: 'customer',
    name: 'organization-budget-edit',
    prepare: press('.cell-actions button'),
  },
  {
    path: '/organization?tab=budgets',
    as: 'customer',
    name: 'organization-budget-delete',
    prepare: press('.cell-actions button:last-child'),
  },
  { path: '/organization?tab=settings', as: 'customer', name: 'organization-settings' },
  {
    path: '/organization?tab=settings',
    as: 'customer',
    name: 'organization-addresses',
    prepare: saveAddresses('203.0.113.0/24'),
  },
  {
    path: '/organization?tab=settings',
    as: 'customer',
    name: 'organization-addresses-bad',
    prepare: saveAddresses('203.0.113.0/24\n10.1.2.3/8'),
  },
  { path: '/organization?tab=audit', as: 'newcomer', name: 'organization-audit' },
  { path: '/organization?tab=audit', as: 'customer', name: 'organization-audit' },
  { path: '/organization?tab=audit', as: 'customer', name: 'organization-audit-entry', prepare: press('.row-link') },
  { path: '/organization', as: 'member' },
  { path: '/organization', as: 'customer', name: 'organization-invite', prepare: press('.mantine-Tabs-panel button') },
  {
    path: '/organization',
    as: 'customer',
    name: 'organization-role',
    prepare: press('tr:nth-child(2) .cell-actions button'),
  },
  {
    path: '/organization',
    as: 'customer',
    name: 'organization-remove',
    prepare: press('tr:nth-child(2) .cell-actions button:last-child'),
  },
  { path: '/organization', as: 'member', name: 'organization-menu', prepare: openMenu },
  { path: '/organization', as: 'guarded' },
  { path: '/organization?tab=sign-in', as: 'guarded', name: 'organization-sign-in' },
  { path: '/organization?tab=sign-in', as: 'newcomer', name: 'organization-sign-in', prepare: requireFactors },
  { path: '/', as: 'heldBack' },
  { path: '/profile', as: 'heldBack' },
  { path: '/profile', as: 'customer' },
  { path: '/profile', as: 'guarded' },
  { path: '/profile', as: 'newcomer', name: 'profile-confirm', prepare: press(ownFactors) },
  { path: '/profile', as: 'newcomer', name: 'profile-app', prepare: setUpApp },
  { path: '/profile', as: 'guarded', name: 'profile-add-passkey', prepare: press(`${ownFactors} >> nth=1`) },
  { path: '/profile', as: 'guarded', name: 'profile-remove-app', prepare: press(ownFactors) },
  { path: '/profile', as: 'guarded', name: 'profile-confirm', prepare: confirmByFactor },
  { path: '/profile', as: 'guarded', name: 'profile-codes', prepare: newCodes },
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
