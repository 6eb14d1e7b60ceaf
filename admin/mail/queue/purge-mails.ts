/** Forgets mails that were sent or given up long ago: who got what is nobody's business for ever. */
import type { Sql } from 'postgres';

/** Returns how many are gone. */
export async function purgeMails(sql: Sql, now: Date): Promise<number> {
  const result = await sql`
    DELETE FROM mails WHERE state <> 'queued' AND next_attempt_at < ${now}::timestamptz - interval '90 days'`;
  return result.count;
}
