/**
 * Claims mails that are due for an attempt. A claim is a lease, not a lock: it begins an attempt, counts it, and moves
 * the next one to the lease's end, all in one short statement. So no transaction stays open while a mail server
 * responds, and another replica takes over the mails of one that died. Mails of a kind that this version does not know
 * are left to those that do.
 */
import type { Sql } from 'postgres';
import type { Language } from '../../../shared/languages.ts';
import { mailKinds } from '../../database/tables/mails.ts';
import type { MailContent } from '../mail.ts';

export interface ClaimedMail {
  readonly id: number;
  readonly key: string;
  readonly to: string;
  readonly language: Language;
  readonly content: MailContent;
  /** The number of this attempt; only the newest attempt may record its result. */
  readonly attempt: number;
  readonly createdAt: Date;
  readonly giveUpAt: Date;
}

interface MailRow {
  readonly expired: boolean;
  readonly id: string;
  readonly message_key: string;
  readonly recipient: string;
  readonly language: Language;
  readonly kind: string;
  readonly data: unknown;
  readonly attempts: number;
  readonly created_at: Date;
  readonly give_up_at: Date;
}

/** Far longer than an attempt may take, even if the clocks of two replicas differ by a minute. */
const leaseMs = 5 * 60_000;
/** The next claim has the others. */
const expiredMax = 1_000;

/** Beside the claimed ones, returns those that have waited until they were of no use, which are failed now. */
export async function claimMails(
  sql: Sql,
  options: { now: Date; max: number },
): Promise<{ mails: ClaimedMail[]; expired: ClaimedMail[] }> {
  const { now, max } = options;
  const rows = await sql<MailRow[]>`
    WITH given_up AS (
      UPDATE mails SET state = 'failed', last_error = coalesce(last_error, 'it expired before the first attempt')
      WHERE id IN (
        SELECT id FROM mails WHERE state = 'queued' AND next_attempt_at <= ${now} AND give_up_at <= ${now}
        ORDER BY id LIMIT ${expiredMax} FOR UPDATE SKIP LOCKED)
      RETURNING *
    ), claimed AS (
      UPDATE mails SET attempts = attempts + 1, next_attempt_at = ${new Date(now.getTime() + leaseMs)}
      WHERE id IN (
        SELECT id FROM mails
        WHERE state = 'queued' AND next_attempt_at <= ${now} AND give_up_at > ${now} AND kind = ANY(${[...mailKinds]})
        ORDER BY next_attempt_at, id LIMIT ${max} FOR UPDATE SKIP LOCKED)
      RETURNING *
    )
    SELECT true AS expired, * FROM given_up UNION ALL SELECT false, * FROM claimed`;
  const of = (expired: boolean) => rows.filter((row) => row.expired === expired).map(mailOf);
  return { mails: of(false), expired: of(true) };
}

function mailOf(row: MailRow): ClaimedMail {
  return {
    id: Number(row.id),
    key: row.message_key,
    to: row.recipient,
    language: row.language,
    // Written by queue-mail.ts and the alerts, whose types are the same.
    content: { kind: row.kind, data: row.data } as MailContent,
    attempt: row.attempts,
    createdAt: row.created_at,
    giveUpAt: row.give_up_at,
  };
}
