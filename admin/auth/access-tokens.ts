/**
 * Access tokens: HS256, 15 minutes, for this issuer and this audience. `@elysiajs/jwt` signs and verifies them; left
 * to its defaults it accepts every HMAC algorithm, any issuer and audience, and tokens that never expire, so all of
 * these are pinned here and nothing else may call its `verify`.
 */
import { jwt } from '@elysiajs/jwt';
import { GatewayError } from '../../shared/errors.ts';
import { bearerToken } from '../../shared/http/bearer-token.ts';
import { parseKey } from '../../shared/keys/api-key.ts';

export const accessTokenLifeSeconds = 15 * 60;

const algorithm = 'HS256';
const issuer = 'model-gateway';
const audience = 'model-gateway-api';

/** Decorates routes with `accessTokens`. */
export const accessTokens = (secret: string) =>
  jwt({
    name: 'accessTokens',
    secret,
    alg: algorithm,
    iss: issuer,
    aud: audience,
    exp: `${accessTokenLifeSeconds}s`,
  });

export type AccessTokens = ReturnType<typeof accessTokens>['decorator']['accessTokens'];

export function signAccessToken(tokens: AccessTokens, userId: number): Promise<string> {
  return tokens.sign({ sub: String(userId) });
}

/** The user whom the header's token names. Throws GatewayError `invalid_token`. */
export async function verifyAccessToken(tokens: AccessTokens, authorization: string | undefined): Promise<number> {
  const token = bearerToken(authorization);
  if (token === undefined) throw invalidToken('Send an access token as `Authorization: Bearer …`.');
  if (parseKey(token) !== undefined) throw invalidToken('An API key does not open this; send an access token.');
  const claims = await tokens.verify(token, {
    algorithms: [algorithm],
    issuer,
    audience,
    typ: 'JWT',
    requiredClaims: ['exp', 'iat', 'sub'],
  });
  const userId = claims === false ? Number.NaN : Number(claims.sub);
  if (!Number.isSafeInteger(userId)) throw invalidToken('The access token is malformed or expired.');
  return userId;
}

export function invalidToken(message: string): GatewayError {
  return new GatewayError('invalid_token', message);
}
