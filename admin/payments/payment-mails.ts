/** Mails about payments, to the address of the account, in its language. */
import { asc, eq } from 'drizzle-orm';
import type { DbOrTransaction } from '../database/connect.ts';
import { users } from '../database/tables/accounts.ts';
import type { MailContent } from '../mail/mail.ts';
import { queueMail } from '../mail/queue/queue-mail.ts';
import { readSettings } from '../notifications/settings.ts';
import type { Payment } from './payment.ts';

type PaymentMail = Extract<MailContent, { kind: `payment_${string}` | `auto_top_up_${string}` }>;

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

/** Undefined for a deleted account. */
export async function emailOfAccount(db: DbOrTransaction, accountId: number): Promise<string | undefined> {
  const [user] = await db
    .select({ email: users.email, deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.accountId, accountId))
    .orderBy(asc(users.id))
    .limit(1);
  return user === undefined || user.deletedAt !== null ? undefined : user.email;
}
