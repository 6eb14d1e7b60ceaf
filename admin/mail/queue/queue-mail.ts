/** Queues a mail in the transaction of the change that it reports: both happen or neither does. */
import { mails } from '../../../shared/tables/mails.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import type { NewMail } from '../mail.ts';

/**
 * Returns the mail's id. It is sent soon after the commit; a mail with an expiring link is not sent after its expiry.
 */
export async function queueMail(transaction: DbOrTransaction, mail: NewMail): Promise<number> {
  const { to, language, kind, data, accountId } = mail;
  const expiry = 'expiresAt' in data ? { giveUpAt: new Date(data.expiresAt) } : {};
  const [row] = await transaction
    .insert(mails)
    .values({ accountId, recipient: to, language, kind, data, ...expiry })
    .returning({ id: mails.id });
  if (row === undefined) throw new Error('an insert returned no mail');
  return row.id;
}
