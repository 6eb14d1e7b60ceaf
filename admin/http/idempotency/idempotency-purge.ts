/** Forgets answers that are not given again any more. */
import type { Sql } from 'postgres';

/** Returns how many are gone. */
export async function purgeIdempotentAnswers(sql: Sql): Promise<number> {
  const result = await sql`DELETE FROM idempotent_answers WHERE expires_at < now()`;
  return result.count;
}
