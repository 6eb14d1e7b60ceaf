/**
 * Refresh tokens: opaque, stored as their SHA-256, valid for one use within 30 days. Each use issues the next token of
 * the same family. If a used one is presented again, either the client or a thief has a stolen token, so the whole
 * family ends and the holder of the newest token has to log in again.
 *
 * Two tabs of a browser share a token and may use it at the same moment, and a page that is left while it refreshes never
 * sees its response. So for some seconds a used token gets the successor that it got before, which is derived from it. The
 * family always has one unused token.
 *
 * A family is a session: access tokens carry its id, and are refused once it has ended. It is in
 * one organization from its beginning to its end.
 */
import { sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import { GatewayError } from '../../../shared/errors.ts';
import type { Database, DbOrTransaction } from '../../database/connect.ts';
import type { SessionClient } from '../../http/request/caller-address.ts';
import type { User } from '../create-user.ts';
import { type EndedSession, revokeSession } from './revoke-sessions.ts';
import { deriveToken, generateToken, hashToken } from './secret-token.ts';

export const refreshTokenLifeSeconds = 30 * 24 * 3600;

/** Longer than any two tabs are apart, and too short for a stolen token to be of use. */
export const reuseGraceSeconds = 10;

/** More than a client gets through within the grace. */
const successorsMax = 20;

export interface IssuedToken {
  readonly refreshToken: string;
  readonly sessionId: string;
  /** The organization that the session is in. */
  readonly accountId: number;
}

export interface RotatedToken extends IssuedToken {
  readonly userId: number;
}

interface NewSession {
  readonly user: Pick<User, 'id' | 'homeAccountId' | 'passwordHash' | 'secondFactorAt'>;
  /** The organization that it is in; the user's home by default. */
  readonly accountId?: number;
  /** The organization at whose identity provider the user has signed in. */
  readonly oidcAccountId?: number | null;
  /** What the session shows its user about the client that it belongs to. */
  readonly client?: SessionClient;
  /** What is thrown if it cannot begin. */
  readonly refusal?: GatewayError;
}

export interface Rotation {
  readonly token: string;
  /** A successor is derived with the first of them; those that the others derived are known for the grace. */
  readonly secrets: readonly string[];
  readonly client?: SessionClient;
}

interface RotatedRow {
  readonly userId: string;
  readonly accountId: string;
  readonly family: string;
}

/**
 * Begins a session, at log-in. Throws the refusal, which is GatewayError `invalid_credentials` by default, if the password was
 * changed, the user got a second factor, the account was blocked, or the membership ended since they were read: that change ends
 * only the sessions it finds, so this one would survive it.
 */
export async function issueRefreshToken(
  db: DbOrTransaction,
  { user, accountId = user.homeAccountId, oidcAccountId = null, client, refusal = passwordChanged() }: NewSession,
): Promise<IssuedToken> {
  const refreshToken = generateToken();
  const sessionId = Bun.randomUUIDv7();
  const issued = await db.execute(sql`
    INSERT INTO refresh_tokens
      (user_id, account_id, oidc_account_id, family, token_hash, expires_at, began_at, address, user_agent)
    SELECT users.id, accounts.id, ${oidcAccountId}::bigint, ${sessionId}, ${hashToken(refreshToken)},
      now() + ${refreshTokenLifeSeconds} * interval '1 second', now(), ${client?.address ?? null}, ${shownAgent(client)}
    FROM users
      JOIN memberships ON memberships.user_id = users.id AND memberships.account_id = ${accountId}
      JOIN accounts ON accounts.id = memberships.account_id
    WHERE users.id = ${user.id} AND password_hash = ${user.passwordHash} AND blocked_at IS NULL
      AND (second_factor_at IS NULL) = ${user.secondFactorAt === null} FOR SHARE`);
  if (issued.count === 0) throw refusal;
  return { refreshToken, sessionId, accountId };
}

/** The user of a token, also of one that is used up; undefined if it is unknown. */
export async function findTokenUser(sql: Sql, token: string): Promise<number | undefined> {
  const [found] = await sql<{ userId: string }[]>`
    SELECT user_id AS "userId" FROM refresh_tokens WHERE token_hash = ${hashToken(token)}`;
  return found && Number(found.userId);
}

/** Throws GatewayError `invalid_token`. Simultaneous calls with one token get the same successor. */
export async function rotateRefreshToken(
  { db, sql }: Pick<Database, 'db' | 'sql'>,
  rotation: Rotation,
): Promise<RotatedToken> {
  const { token, secrets, client } = rotation;
  const [secret] = secrets;
  if (secret === undefined) throw new Error('there is no secret to derive refresh tokens with');
  const refreshToken = deriveToken(token, secret);
  // One statement: the row lock decides between simultaneous uses, and no crash can lose the successor.
  const [rotated] = await sql<RotatedRow[]>`
    WITH used AS (
      UPDATE refresh_tokens SET used_at = now()
      WHERE token_hash = ${hashToken(token)} AND used_at IS NULL AND revoked_at IS NULL AND expires_at > now()
      RETURNING user_id, account_id, oidc_account_id, family, coalesce(began_at, created_at) AS began_at, address, user_agent
    )
    INSERT INTO refresh_tokens
      (user_id, account_id, oidc_account_id, family, token_hash, expires_at, began_at, address, user_agent)
    SELECT user_id, coalesce(used.account_id, users.account_id), oidc_account_id, family,
      ${hashToken(refreshToken)}, now() + ${refreshTokenLifeSeconds} * interval '1 second',
      began_at, coalesce(${client?.address ?? null}, address), coalesce(${shownAgent(client)}, user_agent)
    FROM used JOIN users ON users.id = used.user_id
    RETURNING user_id AS "userId", account_id AS "accountId", family`;
  if (rotated !== undefined) return rotatedOf(rotated, refreshToken);
  const repeated = await findSuccessor(sql, rotation);
  if (repeated !== undefined) return repeated;
  await revokeReused({ db, sql }, token);
  throw badRefreshToken();
}

/** Ends the family of a token, at log-out. An unknown token is no error. */
export async function revokeRefreshToken(
  { db, sql }: Pick<Database, 'db' | 'sql'>,
  token: string,
): Promise<EndedSession | undefined> {
  const [found] = await sql<{ family: string }[]>`
    SELECT family FROM refresh_tokens WHERE token_hash = ${hashToken(token)}`;
  return found && (await revokeSession(db, found.family));
}

/** The family's unused token, if the given one and all between them were used within the grace. */
async function findSuccessor(sql: Sql, { token, secrets }: Rotation): Promise<RotatedToken | undefined> {
  let used = token;
  for (let steps = 0; steps < successorsMax; steps += 1) {
    const successors = secrets.map((secret) => deriveToken(used, secret));
    const hashes = new Map(successors.map((successor) => [hashToken(successor), successor]));
    const [next] = await sql<(RotatedRow & { unused: boolean; hash: string })[]>`
      SELECT next.user_id AS "userId", coalesce(next.account_id, users.account_id) AS "accountId", next.family,
        next.used_at IS NULL AS unused, next.token_hash AS hash
      FROM refresh_tokens AS used JOIN refresh_tokens AS next ON next.family = used.family
        JOIN users ON users.id = next.user_id
      WHERE used.token_hash = ${hashToken(used)} AND used.used_at > now() - ${reuseGraceSeconds} * interval '1 second'
        AND next.token_hash = ANY(${[...hashes.keys()]}) AND next.revoked_at IS NULL AND next.expires_at > now()`;
    const refreshToken = hashes.get(next?.hash ?? '');
    if (next === undefined || refreshToken === undefined) return undefined;
    if (next.unused) return rotatedOf(next, refreshToken);
    used = refreshToken;
  }
  return undefined;
}

function rotatedOf({ userId, accountId, family }: RotatedRow, refreshToken: string): RotatedToken {
  return { userId: Number(userId), accountId: Number(accountId), refreshToken, sessionId: family };
}

async function revokeReused({ db, sql }: Pick<Database, 'db' | 'sql'>, token: string): Promise<void> {
  const [used] = await sql<{ family: string }[]>`
    SELECT family FROM refresh_tokens WHERE token_hash = ${hashToken(token)} AND used_at IS NOT NULL`;
  if (used !== undefined) await revokeSession(db, used.family);
}

const userAgentMaxLength = 300;

/** Postgres refuses a NUL, and a header has none. */
function shownAgent(client: SessionClient | undefined): string | null {
  return client?.userAgent?.slice(0, userAgentMaxLength) || null;
}

const passwordChanged = () => new GatewayError('invalid_credentials', 'The password has just been changed.');

export function badRefreshToken(): GatewayError {
  return new GatewayError('invalid_token', 'The refresh token is no longer valid. Log in again.');
}
