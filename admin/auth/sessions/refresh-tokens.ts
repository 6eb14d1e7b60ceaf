/**
 * Refresh tokens: opaque, stored as their SHA-256, valid for one use within 30 days. Each use issues the next token of
 * the same family. If a used one is presented again, either the client or a thief has a stolen token, so the whole
 * family ends and the holder of the newest token has to log in again.
 *
 * A family is a session: access tokens carry its id, and are refused once it has ended.
 */
import type { Sql } from 'postgres';
import { GatewayError } from '../../../shared/errors.ts';
import type { User } from '../create-user.ts';
import { generateToken, hashToken } from './secret-token.ts';

export const refreshTokenLifeSeconds = 30 * 24 * 3600;

export interface IssuedToken {
  readonly refreshToken: string;
  readonly sessionId: string;
}

export interface RotatedToken extends IssuedToken {
  readonly userId: number;
}

/**
 * Begins a session, at log-in. Throws GatewayError `invalid_credentials` if the password was changed or the account
 * blocked since they were read: that change ends only the sessions it finds, so this one would survive it.
 */
export async function issueRefreshToken(sql: Sql, user: Pick<User, 'id' | 'passwordHash'>): Promise<IssuedToken> {
  const refreshToken = generateToken();
  const sessionId = Bun.randomUUIDv7();
  const issued = await sql`
    INSERT INTO refresh_tokens (user_id, family, token_hash, expires_at)
    SELECT users.id, ${sessionId}, ${hashToken(refreshToken)}, now() + ${refreshTokenLifeSeconds} * interval '1 second'
    FROM users JOIN accounts ON accounts.id = users.account_id
    WHERE users.id = ${user.id} AND password_hash = ${user.passwordHash} AND blocked_at IS NULL FOR SHARE`;
  if (issued.count === 0) throw new GatewayError('invalid_credentials', 'The password has just been changed.');
  return { refreshToken, sessionId };
}

/** Throws GatewayError `invalid_token`. Of several calls with one token at most one succeeds. */
export async function rotateRefreshToken(sql: Sql, token: string): Promise<RotatedToken> {
  const refreshToken = generateToken();
  // One statement: the row lock decides between simultaneous uses, and no crash can lose the successor.
  const [rotated] = await sql<{ userId: string; family: string }[]>`
    WITH used AS (
      UPDATE refresh_tokens SET used_at = now()
      WHERE token_hash = ${hashToken(token)} AND used_at IS NULL AND revoked_at IS NULL AND expires_at > now()
      RETURNING user_id, family
    )
    INSERT INTO refresh_tokens (user_id, family, token_hash, expires_at)
    SELECT user_id, family, ${hashToken(refreshToken)}, now() + ${refreshTokenLifeSeconds} * interval '1 second' FROM used
    RETURNING user_id AS "userId", family`;
  if (rotated !== undefined) return { userId: Number(rotated.userId), refreshToken, sessionId: rotated.family };
  await revokeReused(sql, token);
  throw badRefreshToken();
}

/** Ends the family of a token, at log-out. An unknown token is no error. */
export async function revokeRefreshToken(sql: Sql, token: string): Promise<void> {
  const [found] = await sql<{ family: string }[]>`
    SELECT family FROM refresh_tokens WHERE token_hash = ${hashToken(token)}`;
  if (found !== undefined) await revokeFamily(sql, found.family);
}

/** Ends a session, at log-out of a client without its refresh token. */
export const revokeSession = (sql: Sql, sessionId: string): Promise<void> => revokeFamily(sql, sessionId);

async function revokeReused(sql: Sql, token: string): Promise<void> {
  const [used] = await sql<{ family: string }[]>`
    SELECT family FROM refresh_tokens WHERE token_hash = ${hashToken(token)} AND used_at IS NOT NULL`;
  if (used !== undefined) await revokeFamily(sql, used.family);
}

/**
 * Repeats until nothing is left to revoke: a concurrent rotation holds its row's lock, and its successor becomes
 * visible only after this statement has begun.
 */
async function revokeFamily(sql: Sql, family: string): Promise<void> {
  let revoked: number;
  do {
    const result = await sql`
      UPDATE refresh_tokens SET revoked_at = now() WHERE family = ${family} AND revoked_at IS NULL`;
    revoked = result.count;
  } while (revoked > 0);
}

export function badRefreshToken(): GatewayError {
  return new GatewayError('invalid_token', 'The refresh token is no longer valid. Log in again.');
}
