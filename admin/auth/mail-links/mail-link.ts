/** Mails a link that verifies the recipient's address when it is followed. */
import { and, eq, isNull } from 'drizzle-orm';
import type { Language } from '../../../shared/languages.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { users } from '../../database/tables/accounts.ts';
import { queueMail } from '../../mail/queue/queue-mail.ts';
import { issueMailToken, type MailTokenPurpose } from './mail-tokens.ts';

type LinkPurpose = Exclude<MailTokenPurpose, 'verify_alert_address'>;

export interface LinkInput {
  readonly purpose: LinkPurpose;
  readonly userId: number;
  readonly accountId: number;
  readonly to: string;
  readonly language: Language;
  /** Where people reach the dashboard. */
  readonly publicUrl: string;
}

const pages: Record<LinkPurpose, string> = { verify_email: 'verify-email', reset_password: 'reset-password' };

export async function mailLink(transaction: DbOrTransaction, input: LinkInput): Promise<void> {
  const { purpose, userId, accountId, to, language, publicUrl } = input;
  // The lock keeps the user from being deleted: an erased address must not be stored again.
  const [user] = await transaction
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))
    .for('no key update');
  if (user === undefined) return;
  const { token, expiresAt } = await issueMailToken(transaction, { purpose, userId, email: to });
  const url = `${publicUrl}/${pages[purpose]}?token=${token}`;
  const data = { url, expiresAt: expiresAt.toISOString() };
  await queueMail(transaction, { kind: purpose, to, language, accountId, data });
}
