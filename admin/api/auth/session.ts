/** The response to sign-up, log-in and refresh: both tokens and the user. */
import { Type } from '@sinclair/typebox';
import type { User } from '../../auth/create-user.ts';
import { type AccessTokens, accessTokenLifeSeconds, signAccessToken } from '../../auth/sessions/access-tokens.ts';
import type { IssuedToken } from '../../auth/sessions/refresh-tokens.ts';
import { customer, refreshToken } from '../fields/example-values.ts';
import { integer, nullable, oneOf, text } from '../fields/schemas.ts';

export const sessionSchema = Type.Object(
  {
    accessToken: text(
      'The token to send as `Authorization: Bearer …`. It is refused as soon as its session ends.',
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI0MiJ9.c2lnbmF0dXJl',
    ),
    tokenType: oneOf(['Bearer'], 'The scheme to send the access token with: always `Bearer`.'),
    expiresIn: integer(
      'Seconds until the access token expires. Refresh the tokens before then.',
      accessTokenLifeSeconds,
    ),
    refreshToken: text(
      'The token to get the next pair of tokens with, once and within 30 days. Browsers have it as the cookie ' +
        '`gateway_refresh` too.',
      refreshToken,
    ),
    user: Type.Object(
      {
        id: integer('The id of the user.', customer.userId),
        email: text("The user's e-mail address, verified or not.", customer.email),
        displayName: nullable(text("The user's name; null if none was given.", customer.name)),
        role: oneOf(['customer', 'operator'], 'What the user may do: an `operator` may call `/api/operator/…` too.'),
      },
      { description: 'The user who is logged in.' },
    ),
  },
  { title: 'Session' },
);

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
