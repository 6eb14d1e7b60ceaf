/** Forgets refresh tokens that have been worthless for a while. Until then a reuse is still told from an unknown token. */
import type { Sql } from 'postgres';

/** Returns how many are gone. */
export async function purgeRefreshTokens(sql: Sql): Promise<number> {
  const result = await sql`DELETE FROM refresh_tokens WHERE expires_at < now() - interval '7 days'`;
  return result.count;
}
