/** A bank statement in the browser: uploaded, compared with open invoices, and booked by a click. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { encode, statementOf, type Transfer } from '../../admin/payments/bank/statement-text.ts';
import { logIn } from '../../harness/account-view.ts';
import { chromiumPath } from '../../harness/clients/browser.ts';
import { expectAccessible, expectFits } from '../harness/audit.ts';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { companyDetails, openSender, type Payment, paymentsEnvironment } from '../harness/payments.ts';

describe.skipIf(!chromiumPath)('a bank statement', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard({ adminEnvironment: paymentsEnvironment });
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  /** A company that has ordered, and the number of its invoice. */
  const createInvoice = async (amount: string, inn: string = companyDetails.inn) => {
    const customer = await dashboard.harness.createCustomer({ usd: '0' });
    const own = await openSender(dashboard.admin, customer);
    await own.send('PUT', '/api/profile/details', { ...companyDetails, inn });
    const { id } = await own.send<Payment>('POST', '/api/payments', { method: 'invoice', amount, currency: 'RUB' });
    const [invoice] = await dashboard.harness.database.sql`
      SELECT number FROM documents WHERE payment_id = ${id} AND type = 'invoice'`;
    return { customer, inn, purpose: `Оплата по счёту № ${invoice?.number}` };
  };
  const upload = async (page: Page, transfers: readonly Transfer[]) => {
    const buffer = Buffer.from(encode(statementOf(transfers), 'windows-1251'));
    const file = { name: 'statement.txt', mimeType: 'text/plain', buffer };
    await page.locator('input[type=file]').setInputFiles(file);
  };

  test('shows which transfers are certain and what matches in others, and books each by a click', async () => {
    const certain = await createInvoice('1000');
    // Another account has ordered with the same INN.
    const [doubtful, other] = [await createInvoice('2500', '7710140679'), await createInvoice('3000', '7710140679')];
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(await dashboard.harness.createCustomer({ usd: '0', role: 'operator' }));
    const page = await visitor.visit('/operator/payments');
    await page.getByRole('tab', { name: 'Bank transfers' }).click();
    await page.getByRole('heading', { name: 'No open transfers' }).waitFor();
    await upload(page, [
      { number: '501', purpose: certain.purpose },
      { number: '502', amount: '2499.00', payerInn: doubtful.inn, purpose: doubtful.purpose },
      { number: '503', payerInn: '7736050003', amount: '7.00', purpose: 'Возврат займа' },
    ]);
    await page.getByText('3 transfers are in the statement.').waitFor();
    await page.getByRole('row', { name: /501.*₽1,000\.00.*Certain/ }).waitFor();
    const proposed = page.getByRole('row', { name: /502.*To be decided/ });
    const { accountId } = other.customer;
    await proposed.getByText(`account ${doubtful.customer.accountId}; agrees: number, INN; differs: amount`).waitFor();
    await proposed.getByText(`account ${accountId}; agrees: INN; differs: amount, number`).waitFor();
    await proposed.getByText(`Account ${accountId} has the same INN or order too`).waitFor();
    await page.getByRole('row', { name: /503.*No invoice/ }).waitFor();
    await expectAccessible(page);
    await expectFits(page);
    await page.getByRole('button', { name: 'Book transfer 501 for ₽1,000.00' }).click();
    await page.getByRole('row', { name: /501/ }).waitFor({ state: 'hidden' });
    const { get } = await logIn(dashboard.admin, certain.customer);
    expect((await get<{ balanceUsd: string }>('/api/balance')).balanceUsd).toBe('11.111111111');
    dashboard.expectClean();
  });

  test('is refused with its mistake if it is invalid', async () => {
    const visitor = await dashboard.newVisitor();
    await visitor.signIn(await dashboard.harness.createCustomer({ usd: '0', role: 'operator' }));
    const page = await visitor.visit('/operator/payments?tab=bank');
    await page.locator('input[type=file]').setInputFiles({
      name: 'letter.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Dear Sir or Madam'),
    });
    await page.getByRole('alert').waitFor();
    await expectAccessible(page);
  });
});
