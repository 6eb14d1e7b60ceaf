/** Forgets tokens of mailed links that have expired. */
import type { Sql } from 'postgres';

/** Returns how many are gone. */
export async function purgeMailTokens(sql: Sql): Promise<number> {
  const result = await sql`DELETE FROM mail_tokens WHERE expires_at < now()`;
  return result.count;
}
