/** Mails about payments, to the address of the account, in its language. */
import type { DbOrTransaction } from '../database/connect.ts';
import { emailOfAccount } from '../database/rows/email-of-account.ts';
import { readSettings } from '../database/rows/notification-settings.ts';
import type { Payment } from '../database/rows/payment.ts';
import type { MailContent } from '../mail/mail.ts';
import { queueMail } from '../mail/queue/queue-mail.ts';

type PaymentMail = Extract<MailContent, { kind: `payment_${string}` | 'refund_failed' | `auto_top_up_${string}` }>;

/** A deleted account gets none. */
export async function queuePaymentMail(
  transaction: DbOrTransaction,
  { accountId }: Pick<Payment, 'accountId'>,
  content: PaymentMail,
): Promise<void> {
  const email = await emailOfAccount(transaction, accountId);
  if (email === undefined) return;
  const { language } = await readSettings(transaction, accountId);
  await queueMail(transaction, { ...content, to: email, language, accountId });
}
