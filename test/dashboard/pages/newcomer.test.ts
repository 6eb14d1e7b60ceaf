/** The pages of an account that has no data yet. */
import { auditPages, userPaths } from './audit-pages.ts';

auditPages('of an empty account', userPaths, async ({ harness }) => {
  const customer = await harness.createCustomer({ usd: '0' });
  await harness.database.sql`UPDATE api_keys SET deleted_at = now() WHERE account_id = ${customer.accountId}`;
  return customer;
});
