/**
 * The whole flow of a bank transfer in the browser: order, invoice, bank statement, balance, and the act of the month.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { countAllLots } from '../../../admin/lots/count-lots.ts';
import { monthBefore, monthOf } from '../../../admin/lots/months.ts';
import { billingTimeZone, use } from '../../admin/documents/books.ts';
import { linesOfPdf } from '../../admin/documents/render/read-pdf.ts';
import { encode, statementOf } from '../../admin/payments/bank/statement-text.ts';
import { guardTimeoutMs, waitFor } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { expectAccessible, expectFits } from '../harness/audit.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { companyDetails, openSender, paymentsEnvironment } from '../harness/payments.ts';

describe.skipIf(!chromiumPath)('from an invoice to its act', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({ adminEnvironment: paymentsEnvironment });
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  const download = async (page: Page, from = page.getByRole('dialog')) => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      from.getByRole('button', { name: 'Download PDF' }).click(),
    ]);
    return linesOfPdf(await Bun.file(await file.path()).bytes());
  };

  test('a transfer becomes the balance, and once a month has passed its act can be downloaded', async () => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const { send } = await openSender(dashboard.admin, customer);
    await send('PUT', '/api/profile/details', companyDetails);
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(customer);

    const page = await visitor.visit('/billing?topUp=1');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Bank transfer' }).check();
    await dialog.getByRole('textbox', { name: 'Amount' }).fill('9000');
    await dialog.getByRole('button', { name: 'Get invoice' }).click();
    await page.getByRole('dialog', { name: 'Payment' }).getByText('Waiting for the transfer').waitFor();
    const invoice = await download(page);
    const purpose = invoice.find((line) => line.startsWith('Счет на оплату №')) ?? '';
    expect(purpose).toMatch(/^Счет на оплату № \d+ от /);

    const operator = await dashboard.newVisitor();
    await operator.signIn(await dashboard.harness.createCustomer({ usd: '0', role: 'operator' }));
    const transfers = await operator.visit('/operator/payments?tab=bank');
    const statement = statementOf([{ number: '811', amount: '9000.00', purpose }]);
    await transfers.locator('input[type=file]').setInputFiles({
      name: 'statement.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from(encode(statement, 'windows-1251')),
    });
    await transfers.getByRole('row', { name: /811.*₽9,000\.00.*Certain/ }).waitFor();
    await transfers.getByRole('button', { name: 'Book transfer 811 for ₽9,000.00' }).click();
    await transfers.getByRole('row', { name: /811/ }).waitFor({ state: 'hidden' });
    await dialog.getByText('Your balance is now $100.00.').waitFor();

    // A month passes: its usage is dated in it and counted, and the next admin that starts finds the month over.
    const inMonth = new Date(`${monthBefore(monthBefore(monthOf(new Date(), billingTimeZone)))}T12:00:00Z`);
    await use(dashboard.harness.database, [{ accountId: customer.accountId, nano: 40_000_000_000n, at: inMonth }]);
    await countAllLots(dashboard.harness.database.db, { billingTimeZone });
    await dashboard.harness.openAdmin(paymentsEnvironment);
    const acts = () => dashboard.harness.database.sql`
      SELECT FROM documents WHERE account_id = ${customer.accountId} AND type = 'act'`;
    await waitFor('the act', guardTimeoutMs, async () => (await acts()).length === 1);

    const documents = await visitor.visit('/billing?tab=documents');
    await documents.getByRole('row', { name: /Act no\. \d+.*₽3,600\.00/ }).waitFor();
    await expectAccessible(documents);
    await documents.getByRole('link', { name: /^Act no\. \d+/ }).click();
    const shown = documents.getByRole('dialog', { name: /^Act no\. \d+/ });
    await shown.getByRole('img', { name: /^Page 1 of/ }).waitFor();
    await expectFits(documents);
    const act = (await download(documents, shown)).join('\n');
    expect(act).toContain('Акт об оказании услуг №');
    expect(act).toContain('Всего: 3 600,00');
    dashboard.expectClean();
  });
});
