/** One process of the campaign: it issues what is due and orders invoices until it is killed. */
import { readPaymentConfig } from '../../admin/config/payments.ts';
import { connectDatabase } from '../../admin/database/connect.ts';
import { issueDueAdvances, issueDueServices } from '../../admin/documents/issue-due.ts';
import { minorUnits } from '../../admin/money/payment-money.ts';
import { createPayment } from '../../admin/payments/creation/create-payment.ts';
import { invoiceMethod } from '../../admin/payments/methods/invoice/invoice.ts';
import { EnvironmentReader } from '../../shared/config/environment.ts';
import { createLog } from '../../shared/log.ts';
import { parseRubPerUsd } from '../../shared/money.ts';
import { documentServices, seller, sellerFile } from '../admin/documents/books.ts';

const [databaseUrl = '', nowText = '', invoicesText = ''] = process.argv.slice(2);
const database = connectDatabase(databaseUrl, { connections: 3 });
const config = {
  payments: readPaymentConfig(new EnvironmentReader({ SELLER_FILE: sellerFile })),
  rubPerUsd: parseRubPerUsd('90'),
  cbrUrl: undefined,
  publicUrl: 'http://localhost:8081',
};
const now = new Date(nowText);
const due = { ...documentServices(database, now), log: createLog({ program: 'admin', level: 'silent' }) };
const invoice = invoiceMethod({ config, sql: database.sql, seller });
if (invoice === undefined) throw new Error('bank transfers are not configured');
const services = { config, seller, now: () => now, methods: new Map([['invoice', invoice]]) };
const rate = { rubPerUsd: config.rubPerUsd, date: null, source: 'configured' } as const;

/** Until there are enough. */
async function createInvoices(): Promise<void> {
  for (;;) {
    const [row] = await database.sql<{ ordered: string; account_id: string }[]>`
      SELECT count(*) AS ordered,
        (SELECT account_id FROM company_details ORDER BY random() LIMIT 1) AS account_id
      FROM documents WHERE type = 'invoice'`;
    if (row === undefined || Number(row.ordered) >= Number(invoicesText)) return;
    const input = {
      accountId: Number(row.account_id),
      email: '',
      method: 'invoice',
      amountMinor: minorUnits(100_000n),
      currency: 'RUB',
      returnUrl: undefined,
    } as const;
    await database.db.transaction((transaction) => createPayment(services, transaction, { input, rate }));
  }
}

await database.sql`SELECT 1`;
console.log('ready');
await Promise.all([issueDueAdvances(due), issueDueServices(due), createInvoices()]);
await database.close();
