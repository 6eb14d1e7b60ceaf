/** The pages of an account that has data of every kind. */
import { createMember, seedBudget, seedInvitation, seedProject, seedProvider } from '../harness/organization.ts';
import { seedPayments } from '../harness/payments.ts';
import { seedWebhooks } from '../harness/webhooks.ts';
import { auditPages, userPaths } from './audit-pages.ts';

auditPages('with content', userPaths, async (dashboard) => {
  const { harness } = dashboard;
  const customer = await harness.createCustomer({ usd: '1234.567890123' });
  await harness.createExpiredKey(customer.accountId);
  await harness.database.sql`
    UPDATE api_keys SET name = ${'x'.repeat(100)}, spend_limit_day_nano = 5000000000
    WHERE id = ${customer.proxyKeyId}`;
  const { accountId, userId } = customer;
  await createMember(harness, { accountId, role: 'member', email: `${'long-'.repeat(12)}@example.com` });
  await seedInvitation(harness, { accountId, invitedBy: userId, email: 'invited@example.com' });
  const words = { description: 'long '.repeat(60), costCenter: 'x'.repeat(100) };
  const name = 'x'.repeat(100);
  const scopeId = await seedProject(dashboard, customer, { name, ...words, keyIds: [customer.proxyKeyId] });
  await seedBudget(dashboard, customer, { scope: 'project', scopeId, period: 'week', amount: '8999999.123456789' });
  await seedBudget(dashboard, customer, { scope: 'organization', period: 'total', amount: '50', alertsAt: [] });
  await seedProject(dashboard, customer, { name: 'over', archived: true });
  await seedPayments(dashboard, customer);
  await seedProvider(harness, accountId);
  await seedWebhooks(harness, accountId);
  return customer;
});
