/** Lets only a logged-in user pass, and tells the routes behind it who he is. */
import { and, eq, isNotNull } from 'drizzle-orm';
import { Elysia } from 'elysia';
import { refreshTokens } from '../../shared/tables/accounts.ts';
import type { DbOrTransaction } from '../database/connect.ts';
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

/** Routes that use it have `caller`. */
export const requireUser = (services: AdminServices) =>
  new Elysia()
    .use(accessTokens(services.config.jwtSecret))
    .derive({ as: 'scoped' }, async ({ accessTokens, headers }) => ({
      caller: await authenticateUser(services, accessTokens, headers.authorization),
    }));

export type Caller = User & Pick<AccessClaims, 'sessionId'>;

/**
 * The user and his session are looked up each time, so a changed role, a log-out and a new password are in force at
 * once. Throws GatewayError `invalid_token`.
 */
export async function authenticateUser(
  { database }: { readonly database: { readonly db: DbOrTransaction } },
  tokens: AccessTokens,
  authorization: string | undefined,
): Promise<Caller> {
  const { userId, sessionId } = await verifyAccessToken(tokens, authorization);
  const user = await findUserById(database.db, userId);
  if (user === undefined) throw invalidToken('The user of this access token does not exist any more.');
  if (await hasSessionEnded(database.db, sessionId)) throw invalidToken('This session has ended. Log in again.');
  return { ...user, sessionId };
}

async function hasSessionEnded(db: DbOrTransaction, sessionId: string): Promise<boolean> {
  const revoked = await db
    .select({ id: refreshTokens.id })
    .from(refreshTokens)
    .where(and(eq(refreshTokens.family, sessionId), isNotNull(refreshTokens.revokedAt)))
    .limit(1);
  return revoked.length > 0;
}
