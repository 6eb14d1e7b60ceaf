/** A bank transfer in the browser: details, invoice, PDF, the operator's confirmation, the balance, and the documents. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import type { Customer } from '../../harness/customers.ts';
import { expectAccessible, expectFits } from '../harness/audit.ts';
import { type Dashboard, type DashboardVisitor, startDashboard } from '../harness/dashboard.ts';
import { companyDetails, openSender, type Payment, paymentsEnvironment } from '../harness/payments.ts';

const fields = {
  'Full company name': companyDetails.companyName,
  INN: companyDetails.inn,
  KPP: companyDetails.kpp,
  OGRN: companyDetails.ogrn,
  Director: companyDetails.directorName,
  'Registered address': companyDetails.legalAddress,
  Bank: companyDetails.bankName,
  BIK: companyDetails.bik,
  'Checking account': companyDetails.checkingAccount,
  'Correspondent account': companyDetails.correspondentAccount,
};

describe.skipIf(!chromiumPath)('a bank transfer', () => {
  let dashboard: Dashboard;
  let operator: DashboardVisitor;
  beforeAll(async () => {
    dashboard = await startDashboard({ adminEnvironment: paymentsEnvironment });
    operator = await dashboard.newVisitor();
    await operator.signIn(await dashboard.harness.createCustomer({ usd: '0', role: 'operator' }));
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  let tab: Page | undefined;
  const visitAsOperator = async (path: string) => {
    tab = await operator.visit(path, tab);
    return tab;
  };
  const dialogOf = (page: Page) => page.getByRole('dialog');
  const newCompany = async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const own = await openSender(dashboard.admin, customer);
    await own.send('PUT', '/api/profile/details', companyDetails);
    return { customer, own };
  };
  const createInvoice = ({ send }: Awaited<ReturnType<typeof openSender>>, amount: string) =>
    send<Payment>('POST', '/api/payments', { method: 'invoice', amount, currency: 'RUB' });
  const confirm = async ({ email }: Customer, reference: string) => {
    const page = await visitAsOperator('/operator/payments?status=pending');
    await page.getByRole('table', { name: 'All payments' }).getByRole('link', { name: email }).click();
    await dialogOf(page).getByRole('button', { name: 'Confirm' }).click();
    const asked = dialogOf(page);
    await asked.getByRole('heading', { name: /^Confirm the payment/ }).waitFor();
    await asked.getByLabel('Bank reference of the transfer').fill(reference);
    await asked.getByLabel('Reason').fill('Bank statement');
    await expectAccessible(page);
    await asked.getByRole('button', { name: /^Confirm ₽/ }).click();
    await asked.getByRole('heading', { name: /^Confirm the payment/ }).waitFor({ state: 'hidden' });
    return page;
  };

  test('leads from missing details over the invoice and its confirmation to the balance', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const page = await dashboard.openAs(customer, '/billing?topUp=1');
    await dialogOf(page).getByRole('radio', { name: 'Bank transfer' }).check();
    await dialogOf(page).getByRole('textbox', { name: 'Amount' }).fill('9000');
    await dialogOf(page).getByRole('button', { name: 'Get invoice' }).click();
    await dialogOf(page).getByText('Fill in what is missing').waitFor();
    await expectFits(page);
    await dialogOf(page).getByLabel('Account type').selectOption('OOO');
    await dialogOf(page).getByLabel('INN', { exact: true }).fill(companyDetails.inn);
    const save = dialogOf(page).getByRole('button', { name: 'Save and get invoice' });
    await save.click();
    await dialogOf(page)
      .getByText(/missing: .*KPP.*OGRN/)
      .waitFor();
    for (const [label, value] of Object.entries(fields)) {
      await dialogOf(page).getByLabel(label, { exact: true }).fill(value);
    }
    await expectAccessible(page);
    await save.click();
    const panel = page.getByRole('dialog', { name: 'Payment' });
    await panel.getByText('Waiting for the transfer').waitFor();
    await panel.getByRole('img', { name: 'Page 1 of 1' }).waitFor();
    await panel.getByText(/ООО «Ромашка»/).waitFor({ state: 'attached' });
    await expectFits(page);
    await expectAccessible(page);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      panel.getByRole('button', { name: 'Download PDF' }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^invoice-\d{4}-\d+\.pdf$/);
    expect((await Bun.file(await file.path()).text()).slice(0, 5)).toBe('%PDF-');

    const decided = await confirm(customer, `R-${customer.accountId}`);
    await dialogOf(decided).getByText('Paid', { exact: true }).first().waitFor();
    await dialogOf(decided)
      .getByRole('button', { name: /Confirmation/ })
      .click();
    await dialogOf(decided).getByText(`"reference": "R-${customer.accountId}"`).waitFor();
    await expectAccessible(decided);
    // The customer sees it without a reload.
    await panel.getByText('Your balance is now $100.00.').waitFor();
    dashboard.expectClean();
  });

  test('a transfer in review is at the top of the operator’s list, and can be cancelled or refunded', async () => {
    const { customer, own } = await newCompany();
    const { sql } = dashboard.harness.database;
    const doubtful = await createInvoice(own, '4500');
    await sql`UPDATE payments SET status = 'review', problem = 'the amounts differ' WHERE id = ${doubtful.id}`;
    const page = await visitAsOperator('/operator/payments');
    const queue = page.getByRole('table', { name: 'Review queue' });
    await queue.getByRole('row', { name: new RegExp(`${customer.email}.*the amounts differ`) }).waitFor();
    await queue.getByRole('link', { name: customer.email }).click();
    await dialogOf(page).getByRole('button', { name: 'Cancel order' }).click();
    await dialogOf(page).getByLabel('Reason').fill('Ordered twice');
    await dialogOf(page).getByRole('button', { name: 'Cancel order' }).click();
    await dialogOf(page).getByText('Cancelled', { exact: true }).first().waitFor();

    await createInvoice(own, '1800');
    const booked = await confirm(customer, `S-${customer.accountId}`);
    await dialogOf(booked).getByRole('button', { name: 'Refund' }).click();
    const asked = dialogOf(booked);
    await asked.getByRole('heading', { name: /^Refund ₽1,800\.00/ }).waitFor();
    await asked.getByLabel('Amount, ₽').fill('900,50');
    await asked.getByLabel('Reason').fill('Paid too much');
    await expectAccessible(booked);
    await asked.getByRole('button', { name: 'Refund' }).click();
    await dialogOf(booked).getByText('₽900.50').first().waitFor();
    const billing = await dashboard.openAs(customer, '/billing');
    await billing.getByRole('row', { name: /Paid.*₽1,800\.00.*₽900\.50 refunded/ }).waitFor();
    dashboard.expectClean();
  });

  test('has its invoice among the documents, and a reconciliation is made on demand', async () => {
    const { customer, own } = await newCompany();
    await createInvoice(own, '1000');
    const page = await dashboard.openAs(customer, '/billing?tab=documents');
    await page.getByRole('row', { name: /Invoice no\. \d+.*₽1,000\.00/ }).waitFor();
    await page.getByRole('button', { name: 'Create document' }).click();
    await expectAccessible(page);
    await dialogOf(page).getByRole('button', { name: 'Create', exact: true }).click();
    await dialogOf(page).getByText('None of the money that you paid was used').waitFor();
    await dialogOf(page).getByRole('radio', { name: 'Reconciliation' }).check();
    await dialogOf(page).getByRole('button', { name: 'Create', exact: true }).click();
    const made = page.getByRole('dialog', { name: /^Reconciliation no\. \d+/ });
    await made.getByRole('img', { name: /^Page 1 of/ }).waitFor();
    await expectFits(page);
    await made.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row', { name: /Reconciliation no\. \d+/ }).waitFor();
    const emails = page.getByRole('switch', { name: 'Email me new documents' });
    expect(await emails.isChecked()).toBe(true);
    await emails.click();
    const { sql } = dashboard.harness.database;
    const isSaved = async () => {
      const rows = await sql`
        SELECT FROM notification_settings WHERE account_id = ${customer.accountId} AND NOT document_emails`;
      return rows.length === 1;
    };
    await waitFor('the setting to be saved', guardTimeoutMs, isSaved);
    await page.reload();
    await waitFor('the setting', guardTimeoutMs, async () => (await emails.isEnabled()) && !(await emails.isChecked()));
    dashboard.expectClean();
  });
});
