/** Mails somebody a link that proves his address when he follows it. */
import type { DbOrTransaction } from '../../database/connect.ts';
import type { Language } from '../../http/request/preferred-language.ts';
import { queueMail } from '../../mail/queue/queue-mail.ts';
import { issueMailToken, type MailTokenPurpose } from './mail-tokens.ts';

export interface LinkOrder {
  readonly purpose: MailTokenPurpose;
  readonly userId: number;
  readonly to: string;
  readonly language: Language;
  /** Where people reach the dashboard. */
  readonly publicUrl: string;
}

const pages: Record<MailTokenPurpose, string> = { verify_email: 'verify-email', reset_password: 'reset-password' };

export async function mailLink(transaction: DbOrTransaction, order: LinkOrder): Promise<void> {
  const { purpose, userId, to, language, publicUrl } = order;
  const { token, expiresAt } = await issueMailToken(transaction, { purpose, userId, email: to });
  const url = `${publicUrl}/${pages[purpose]}?token=${token}`;
  await queueMail(transaction, { kind: purpose, to, language, data: { url, expiresAt: expiresAt.toISOString() } });
}
