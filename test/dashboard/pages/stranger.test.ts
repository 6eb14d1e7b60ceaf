/** The pages for visitors who are not signed in. */
import { seedInvitation } from '../harness/organization.ts';
import { auditPages } from './audit-pages.ts';

const paths = [
  '/login',
  '/login?ended=1',
  '/login?error=sign_in_failed&reason=invalid',
  '/register',
  '/forgot-password',
  '/reset-password?token=x',
  '/accept-invitation?token=new',
  '/accept-invitation?token=known',
  '/accept-invitation?token=expired',
];

auditPages('for a visitor who is not signed in', paths, async ({ harness }) => {
  const { accountId, userId, email } = await harness.createCustomer({ usd: '0' });
  const known = await harness.createCustomer({ usd: '0' });
  const invited = { accountId, invitedBy: userId };
  await seedInvitation(harness, { ...invited, email: `new-${email}`, token: 'new' });
  await seedInvitation(harness, { ...invited, email: known.email, token: 'known' });
  return undefined;
});
