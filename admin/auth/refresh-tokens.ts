/**
 * Refresh tokens: opaque, 256 random bits, stored as their SHA-256, good for one use within 30 days. Each use gives
 * the next token of the same family. A used one that comes back was stolen, from the client or by it, so its whole
 * family ends: whoever holds the newest token has to log in again.
 */
import type { Sql } from 'postgres';
import { GatewayError } from '../../shared/errors.ts';

export const refreshTokenLifeSeconds = 30 * 24 * 3600;

export interface RotatedToken {
  readonly userId: number;
  readonly refreshToken: string;
}

/** Begins a family, at log-in. */
export async function issueRefreshToken(sql: Sql, userId: number): Promise<string> {
  const token = randomToken();
  await sql`
    INSERT INTO refresh_tokens (user_id, family, token_hash, expires_at)
    VALUES (${userId}, ${Bun.randomUUIDv7()}, ${hashToken(token)}, now() + ${refreshTokenLifeSeconds} * interval '1 second')`;
  return token;
}

/** Throws GatewayError `invalid_token`. Of several calls with one token at most one succeeds. */
export async function rotateRefreshToken(sql: Sql, token: string): Promise<RotatedToken> {
  const refreshToken = randomToken();
  // One statement: the row's lock decides between simultaneous uses, and no crash can lose the successor.
  const [rotated] = await sql<{ userId: string }[]>`
    WITH used AS (
      UPDATE refresh_tokens SET used_at = now()
      WHERE token_hash = ${hashToken(token)} AND used_at IS NULL AND revoked_at IS NULL AND expires_at > now()
      RETURNING user_id, family
    )
    INSERT INTO refresh_tokens (user_id, family, token_hash, expires_at)
    SELECT user_id, family, ${hashToken(refreshToken)}, now() + ${refreshTokenLifeSeconds} * interval '1 second' FROM used
    RETURNING user_id AS "userId"`;
  if (rotated !== undefined) return { userId: Number(rotated.userId), refreshToken };
  await revokeReused(sql, token);
  throw new GatewayError('invalid_token', 'The refresh token is not valid any more. Log in again.');
}

/** Ends the family of a token, at log-out. A token that does not exist is no mistake. */
export async function revokeRefreshToken(sql: Sql, token: string): Promise<void> {
  const [found] = await sql<{ family: string }[]>`
    SELECT family FROM refresh_tokens WHERE token_hash = ${hashToken(token)}`;
  if (found !== undefined) await revokeFamily(sql, found.family);
}

async function revokeReused(sql: Sql, token: string): Promise<void> {
  const [used] = await sql<{ family: string }[]>`
    SELECT family FROM refresh_tokens WHERE token_hash = ${hashToken(token)} AND used_at IS NOT NULL`;
  if (used !== undefined) await revokeFamily(sql, used.family);
}

/**
 * Repeats until nothing is left to revoke: a rotation that was running meanwhile held its row's lock, and its
 * successor became visible only after this statement began.
 */
async function revokeFamily(sql: Sql, family: string): Promise<void> {
  let revoked: number;
  do {
    const result = await sql`
      UPDATE refresh_tokens SET revoked_at = now() WHERE family = ${family} AND revoked_at IS NULL`;
    revoked = result.count;
  } while (revoked > 0);
}

function randomToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}

function hashToken(token: string): string {
  return new Bun.CryptoHasher('sha256').update(token).digest('hex');
}
