/**
 * Mails a link to set a new password. The response reveals nothing: an unknown address gets the same one, after the
 * same time.
 */
import type { Language } from '../../../shared/languages.ts';
import type { Db } from '../../database/connect.ts';
import { isUnproven } from '../../database/rows/account-state.ts';
import { inEvenTime } from '../even-time.ts';
import { findUserByEmail } from '../find-user.ts';
import type { LoginProtection } from '../login-protection.ts';
import { mailLink } from '../mail-links/mail-link.ts';

interface ResetServices {
  readonly db: Db;
  readonly protection: Pick<LoginProtection, 'requests'>;
}

interface ResetRequest {
  readonly email: string;
  readonly language: Language;
  readonly publicUrl: string;
}

export function requestPasswordReset(services: ResetServices, request: ResetRequest): Promise<void> {
  return inEvenTime(mailToKnown(services, request));
}

async function mailToKnown(
  { db, protection }: ResetServices,
  { email, language, publicUrl }: ResetRequest,
): Promise<void> {
  const user = await findUserByEmail(db, email);
  if (user === undefined) return;
  // To the address on file: a different spelling may be a different mailbox.
  const { id: userId, homeAccountId: accountId, email: to } = user;
  // Its reader has not agreed to these mails yet.
  if ((await isUnproven(db, accountId)) && !(await protection.requests.mayVerify(to))) return;
  const link = { purpose: 'reset_password', userId, accountId, to, language, publicUrl } as const;
  await db.transaction((transaction) => mailLink(transaction, link));
}
