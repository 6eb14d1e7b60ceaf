/** The pages of an account that has data of every kind. */
import { seedPayments } from '../harness/payments.ts';
import { auditPages, userPaths } from './audit-pages.ts';

auditPages('with content', userPaths, async (dashboard) => {
  const { harness } = dashboard;
  const customer = await harness.createCustomer({ usd: '1234.567890123' });
  await harness.createExpiredKey(customer.accountId);
  await harness.database.sql`
    UPDATE api_keys SET name = ${'x'.repeat(100)}, spend_limit_day_nano = 5000000000
    WHERE id = ${customer.proxyKeyId}`;
  await seedPayments(dashboard, customer);
  return customer;
});
