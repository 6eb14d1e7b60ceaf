/** Every page in both languages and themes, wide and narrow, with content and without. */
import { afterAll, beforeAll, describe, test } from 'bun:test';
import { chromiumPath } from '../harness/clients/browser.ts';
import { expectAudited } from './harness/audit.ts';
import { type Dashboard, type DashboardVisitor, startDashboard } from './harness/dashboard.ts';
import { paymentsEnvironment, seedPayments } from './harness/payments.ts';

const publicPaths = ['/login', '/login?ended=1', '/register', '/forgot-password', '/reset-password?token=x'];
const userPaths = [
  '/',
  '/keys',
  '/keys?kind=billing',
  '/models',
  '/playground',
  '/activity',
  '/usage',
  '/transactions',
  '/billing',
  '/billing?topUp=1',
  '/billing?tab=documents',
  '/billing?tab=automatic',
  '/alerts',
  '/company',
  '/profile',
  '/no-such-page',
];
const operatorPaths = [
  'accounts',
  'payments',
  'payments?tab=bank',
  'catalogue',
  'health',
  'reconciliation',
  'mails',
  'audit',
].map((name) => `/operator/${name}`);

describe.skipIf(!chromiumPath)('a page is accessible and fits a phone:', () => {
  let dashboard: Dashboard;
  let stranger: DashboardVisitor;
  let newcomer: DashboardVisitor;
  let customer: DashboardVisitor;
  let operator: DashboardVisitor;
  beforeAll(async () => {
    dashboard = await startDashboard({ adminEnvironment: paymentsEnvironment });
    const { harness, newVisitor } = dashboard;
    [stranger, newcomer, customer, operator] = await Promise.all([
      newVisitor(),
      newVisitor(),
      newVisitor(),
      newVisitor(),
    ]);
    const empty = await harness.createCustomer({ usd: '0' });
    await harness.database.sql`UPDATE api_keys SET deleted_at = now() WHERE account_id = ${empty.accountId}`;
    await newcomer.signIn(empty);
    const full = await harness.createCustomer({ usd: '1234.567890123' });
    await harness.createExpiredKey(full.accountId);
    await harness.database.sql`
      UPDATE api_keys SET name = ${'x'.repeat(100)}, spend_limit_day_nano = 5000000000
      WHERE id = ${full.proxyKeyId}`;
    await seedPayments(dashboard, full);
    await customer.signIn(full);
    await operator.signIn(await harness.createCustomer({ usd: '0', role: 'operator' }));
  });
  afterAll(() => dashboard?.[Symbol.asyncDispose]());

  async function auditPage(visitor: DashboardVisitor, path: string): Promise<void> {
    const page = await visitor.visit(path);
    await expectAudited(page);
    await page.close();
    dashboard.expectClean();
  }

  test.each(publicPaths)('%s for a stranger', async (path) => {
    await auditPage(stranger, path);
  });

  test.each(userPaths)('%s with content', async (path) => {
    await auditPage(customer, path);
  });

  test.each(userPaths)('%s of an empty account', async (path) => {
    await auditPage(newcomer, path);
  });

  test.each(operatorPaths)('%s for an operator', async (path) => {
    await auditPage(operator, path);
  });
});
