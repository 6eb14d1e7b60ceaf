/** Lets only a logged-in user pass, and tells the routes behind it who he is. */
import { Elysia } from 'elysia';
import type { AdminServices } from '../services.ts';
import { type AccessTokens, accessTokens, invalidToken, verifyAccessToken } from './access-tokens.ts';
import type { User } from './create-user.ts';
import { findUserById } from './find-user.ts';

/** Routes that use it have `caller`. */
export const requireUser = (services: AdminServices) =>
  new Elysia()
    .use(accessTokens(services.config.jwtSecret))
    .derive({ as: 'scoped' }, async ({ accessTokens, headers }) => ({
      caller: await authenticateUser(services, accessTokens, headers.authorization),
    }));

/** The user is read anew each time, so a changed role is in force at once. Throws GatewayError `invalid_token`. */
export async function authenticateUser(
  { database }: AdminServices,
  tokens: AccessTokens,
  authorization: string | undefined,
): Promise<User> {
  const userId = await verifyAccessToken(tokens, authorization);
  const user = await findUserById(database.db, userId);
  if (user === undefined) throw invalidToken('The user of this access token does not exist any more.');
  return user;
}
