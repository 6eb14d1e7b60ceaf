/** What a caller gets at sign-up, log-in and refresh: both tokens and who he is. */
import { Type } from '@sinclair/typebox';
import { nullable, oneOf } from '../../api/fields/schemas.ts';
import type { User } from '../create-user.ts';
import { type AccessTokens, accessTokenLifeSeconds, signAccessToken } from './access-tokens.ts';
import type { IssuedToken } from './refresh-tokens.ts';

export const sessionSchema = Type.Object({
  accessToken: Type.String(),
  tokenType: oneOf(['Bearer'], 'how to send the access token'),
  expiresIn: Type.Integer({ description: 'Seconds until the access token expires.' }),
  refreshToken: Type.String(),
  user: Type.Object({
    id: Type.Integer(),
    email: Type.String(),
    displayName: nullable(Type.String()),
    role: oneOf(['customer', 'operator'], 'what the user may do'),
  }),
});

export type Session = typeof sessionSchema.static;

export async function makeSession(tokens: AccessTokens, user: User, issued: IssuedToken): Promise<Session> {
  const { id, email, displayName, role } = user;
  const { refreshToken, sessionId } = issued;
  return {
    accessToken: await signAccessToken(tokens, { userId: id, sessionId }),
    tokenType: 'Bearer',
    expiresIn: accessTokenLifeSeconds,
    refreshToken,
    user: { id, email, displayName, role },
  };
}
