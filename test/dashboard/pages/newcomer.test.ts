/** The pages of an account that has no data yet. In `npm test` in one of the views: `customer.test.ts` has them in both. */
import { inCampaign } from '../../harness/campaigns.ts';
import { type View, views } from '../harness/audit.ts';
import { auditPages, userPaths } from './audit-pages.ts';

const [first, second] = views;

auditPages(
  'of an empty account (campaign)',
  userPaths,
  async ({ harness }) => {
    const customer = await harness.createCustomer({ usd: '0' });
    await harness.database.sql`UPDATE api_keys SET deleted_at = now() WHERE account_id = ${customer.accountId}`;
    return customer;
  },
  inCampaign<readonly View[]>([second], views, [first]),
);
