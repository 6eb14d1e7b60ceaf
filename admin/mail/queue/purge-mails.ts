/** Deletes mails that are no longer needed, for the personal data in them. */
import type { Sql } from 'postgres';

/** Those that were sent or given up long ago. Returns how many rows it deleted. */
export async function purgeMails(sql: Sql, now: Date): Promise<number> {
  await purgeDeletionMails(sql);
  const result = await sql`
    DELETE FROM mails WHERE state <> 'queued' AND next_attempt_at < ${now}::timestamptz - interval '90 days'`;
  return result.count;
}

/** The mail that confirms a deletion is the last place that has the address: it is deleted once the mail is sent or given up. */
export async function purgeDeletionMails(sql: Sql): Promise<void> {
  await sql`DELETE FROM mails WHERE kind = 'account_deleted' AND state <> 'queued'`;
}
