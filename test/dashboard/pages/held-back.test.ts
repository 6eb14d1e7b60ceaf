/** The pages of someone whose organization requires a second factor, which they have not. */
import { createMember, nameOrganization, setSignInRule } from '../harness/organization.ts';
import { auditPages } from './audit-pages.ts';

auditPages('of someone without the second factor that is required', ['/', '/profile'], async ({ harness }) => {
  const { accountId } = await harness.createCustomer({ usd: '5' });
  await nameOrganization(harness, accountId, 'x'.repeat(100));
  await setSignInRule(harness, accountId, 'second_factor');
  return createMember(harness, { accountId, role: 'admin' });
});
