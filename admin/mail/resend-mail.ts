/** Gives a failed mail another few days, at an operator's word. */
import type { Sql } from 'postgres';
import { GatewayError } from '../../shared/errors.ts';

/** Throws GatewayError `not_found` or `mail_not_resendable`. */
export async function resendMail(sql: Sql, mailId: number, now: Date): Promise<void> {
  // The number of attempts goes on: it tells the attempts of a mail apart.
  const { count } = await sql`
    UPDATE mails SET state = 'queued', next_attempt_at = ${now},
      give_up_at = coalesce((data->>'expiresAt')::timestamptz, ${now}::timestamptz + interval '3 days')
    WHERE id = ${mailId} AND state = 'failed'
      AND coalesce((data->>'expiresAt')::timestamptz > ${now}, true)`;
  if (count > 0) return;
  const [mail] = await sql<{ state: string }[]>`SELECT state FROM mails WHERE id = ${mailId}`;
  if (mail === undefined) throw new GatewayError('not_found', `There is no mail ${mailId}.`);
  const reason = mail.state === 'failed' ? 'the link in it has expired' : `it is ${mail.state}`;
  throw new GatewayError('mail_not_resendable', `Mail ${mailId} cannot be sent again: ${reason}.`);
}
