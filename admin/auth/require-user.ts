/** Lets only logged-in users pass, and gives the routes behind it their identity. */
import { and, eq, isNotNull } from 'drizzle-orm';
import { Elysia } from 'elysia';
import type { DbOrTransaction } from '../database/connect.ts';
import { refreshTokens } from '../database/tables/accounts.ts';
import type { AdminServices } from '../services.ts';
import type { User } from './create-user.ts';
import { findUserById } from './find-user.ts';
import {
  type AccessClaims,
  type AccessTokens,
  accessTokens,
  invalidToken,
  verifyAccessToken,
} from './sessions/access-tokens.ts';

/** Routes that use it get `caller`. */
export const requireUser = (services: AdminServices) =>
  new Elysia().use(accessTokens(services.config)).derive({ as: 'scoped' }, async ({ accessTokens, headers }) => ({
    caller: await authenticateUser(services, accessTokens, headers.authorization),
  }));

export type Caller = User & Pick<AccessClaims, 'sessionId' | 'tokenExpiresAt'>;

/**
 * User and session are looked up for each request, so a changed role, a log-out or a new password takes effect immediately.
 * Throws GatewayError `invalid_token`.
 */
export async function authenticateUser(
  { database }: { readonly database: { readonly db: DbOrTransaction } },
  tokens: AccessTokens,
  authorization: string | undefined,
): Promise<Caller> {
  const { userId, sessionId, tokenExpiresAt } = await verifyAccessToken(tokens, authorization);
  const user = await findUserById(database.db, userId);
  if (user === undefined) throw invalidToken('The user of this access token no longer exists.');
  if (await hasSessionEnded(database.db, sessionId)) throw invalidToken('This session has ended. Log in again.');
  return { ...user, sessionId, tokenExpiresAt };
}

async function hasSessionEnded(db: DbOrTransaction, sessionId: string): Promise<boolean> {
  const revoked = await db
    .select({ id: refreshTokens.id })
    .from(refreshTokens)
    .where(and(eq(refreshTokens.family, sessionId), isNotNull(refreshTokens.revokedAt)))
    .limit(1);
  return revoked.length > 0;
}
