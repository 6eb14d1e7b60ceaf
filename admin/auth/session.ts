/** What a caller gets at sign-up, log-in and refresh: both tokens and who he is. */
import { t } from 'elysia';
import { nullable, oneOf } from '../api/schemas.ts';
import { type AccessTokens, accessTokenLifeSeconds, signAccessToken } from './access-tokens.ts';
import type { User } from './create-user.ts';

export const sessionSchema = t.Object({
  accessToken: t.String(),
  tokenType: oneOf(['Bearer'], 'how to send the access token'),
  expiresIn: t.Integer({ description: 'Seconds until the access token expires.' }),
  refreshToken: t.String(),
  user: t.Object({
    id: t.Integer(),
    email: t.String(),
    displayName: nullable(t.String()),
    role: oneOf(['customer', 'operator'], 'what the user may do'),
  }),
});

export type Session = typeof sessionSchema.static;

export async function makeSession(tokens: AccessTokens, user: User, refreshToken: string): Promise<Session> {
  const { id, email, displayName, role } = user;
  return {
    accessToken: await signAccessToken(tokens, id),
    tokenType: 'Bearer',
    expiresIn: accessTokenLifeSeconds,
    refreshToken,
    user: { id, email, displayName, role },
  };
}
