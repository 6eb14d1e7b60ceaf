/**
 * The pages of someone who sees everything of an organization and changes nothing, as an auditor. In `npm test` in one of the
 * views: `customer.test.ts` has them in both.
 */
import { inCampaign } from '../../harness/campaigns.ts';
import { type View, views } from '../harness/audit.ts';
import { createMember, nameOrganization, seedInvitation } from '../harness/organization.ts';
import { seedPayments } from '../harness/payments.ts';
import { seedWebhooks } from '../harness/webhooks.ts';
import { auditPages, userPaths } from './audit-pages.ts';

const [first, second] = views;

auditPages(
  'of an auditor (campaign)',
  userPaths,
  async (dashboard) => {
    const { harness } = dashboard;
    const owner = await harness.createCustomer({ usd: '1234.567890123' });
    const { accountId } = owner;
    await nameOrganization(harness, accountId, 'x'.repeat(100));
    await seedPayments(dashboard, owner);
    await seedWebhooks(harness, accountId);
    await seedInvitation(harness, { accountId, invitedBy: owner.userId, email: `${'long-'.repeat(12)}@example.com` });
    return createMember(harness, { accountId, role: 'auditor' });
  },
  inCampaign<readonly View[]>([first], views, [second]),
);
