/**
 * Queues mails: a new one in the transaction of the change that it reports, so that both happen or neither does, and a
 * failed one again at an operator's request.
 *
 * Anyone can sign up with someone else's address. So until it is verified, an account's mails are dropped, except the
 * links that verify an address.
 */
import { eq, sql } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Db, DbOrTransaction } from '../../database/connect.ts';
import { isUnproven } from '../../database/rows/account-state.ts';
import { mails } from '../../database/tables/mails.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
import type { MailKind, NewMail } from '../mail.ts';

/** A link to reset a password verifies the address too. */
const kindsOfUnproven: readonly MailKind[] = ['verify_email', 'reset_password'];

/**
 * Returns the mail's id, or undefined if it was dropped. It is sent soon after the commit; a mail with an expiring link
 * is not sent after its expiry.
 */
export async function queueMail(transaction: DbOrTransaction, mail: NewMail): Promise<number | undefined> {
  const { to, language, kind, data, accountId } = mail;
  if (!kindsOfUnproven.includes(kind) && (await isUnproven(transaction, accountId))) return undefined;
  const expiry = 'expiresAt' in data ? { giveUpAt: new Date(data.expiresAt) } : {};
  const [row] = await transaction
    .insert(mails)
    .values({ accountId, recipient: to, language, kind, data, ...expiry })
    .returning({ id: mails.id });
  if (row === undefined) throw new Error('an insert returned no mail');
  return row.id;
}

/** For another few days. Throws GatewayError `not_found` or `mail_not_resendable`. */
export function resendMail(db: Db, actor: Actor, { mailId, now }: { mailId: number; now: Date }): Promise<void> {
  return db.transaction(async (transaction) => {
    const at = now.toISOString();
    // The number of attempts is not reset, because it identifies the attempts of a mail.
    const { count } = await transaction.execute(sql`
      UPDATE mails SET state = 'queued', next_attempt_at = ${at}::timestamptz,
        give_up_at = coalesce((data->>'expiresAt')::timestamptz, ${at}::timestamptz + interval '3 days')
      WHERE id = ${mailId} AND state = 'failed'
        AND coalesce((data->>'expiresAt')::timestamptz > ${at}::timestamptz, true)`);
    const [mail] = await transaction
      .select({ state: mails.state, recipient: mails.recipient, accountId: mails.accountId })
      .from(mails)
      .where(eq(mails.id, mailId));
    if (mail === undefined) throw mailNotFound(mailId);
    if (count === 0) throw notResendable(mailId, mail.state);
    await recordAction(transaction, actor, {
      action: 'mail.resend',
      subject: `mail ${mailId}`,
      // By it the recipient is taken out of the entry when the account is deleted.
      accountId: mail.accountId,
      before: { state: 'failed' },
      after: { state: mail.state, recipient: mail.recipient },
    });
  });
}

export const mailNotFound = (mailId: number) => new GatewayError('not_found', `There is no mail ${mailId}.`);

export function notResendable(mailId: number, state: string): GatewayError {
  const reason = state === 'failed' ? 'the link in it has expired' : `it is ${state}`;
  return new GatewayError('mail_not_resendable', `Mail ${mailId} cannot be sent again: ${reason}.`);
}
