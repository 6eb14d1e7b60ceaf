/**
 * Access tokens: HS256, 15 minutes, for this issuer and this audience. `@elysiajs/jwt` signs and verifies them; left
 * to its defaults it accepts every HMAC algorithm, any issuer and audience, and tokens that never expire, so all of
 * these are pinned here and nothing else may call its `verify`.
 */
import { jwt } from '@elysiajs/jwt';
import { Elysia } from 'elysia';
import { GatewayError } from '../../../shared/errors.ts';
import { bearerToken } from '../../../shared/http/request-headers.ts';
import { parseKey } from '../../../shared/keys/api-key.ts';
import type { AdminConfig } from '../../config/admin.ts';

export const accessTokenLifeSeconds = 15 * 60;

const algorithm = 'HS256';
const issuer = 'model-gateway';
const audience = 'model-gateway-api';
/** Of tokens for another organization than the user's home: version 0.1.0, which would take them for the home's, refuses them. */
const audienceElsewhere = 'model-gateway-organization';
/** https://www.iana.org/assignments/jwt: the session's id. */
const sessionClaim = 'sid';
/** The account of the organization that the token is for. */
const organizationClaim = 'org';
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Signs and verifies with one secret. */
const jwtWith = (secret: string) =>
  jwt({
    name: 'jwt',
    secret,
    alg: algorithm,
    iss: issuer,
    aud: audience,
    exp: `${accessTokenLifeSeconds}s`,
  }).decorator.jwt;

type Jwt = ReturnType<typeof jwtWith>;

/** Signs with the first secret and accepts tokens that any of them has signed. */
export type AccessTokens = Pick<Jwt, 'sign' | 'verify'>;

/** The secrets are looked up for each token, so that they can be rotated while the program runs. */
type JwtConfig = Pick<AdminConfig, 'jwtSecrets'>;

/** Decorates routes with `accessTokens`. */
export const accessTokens = (config: JwtConfig) => new Elysia().decorate('accessTokens', tokensOf(config));

function tokensOf(config: JwtConfig): AccessTokens {
  const jwts = new Map<string, Jwt>();
  const jwtOf = (secret: string): Jwt => {
    const found = jwts.get(secret) ?? jwtWith(secret);
    jwts.set(secret, found);
    return found;
  };
  return {
    sign: (claims) => {
      const [secret] = config.jwtSecrets;
      if (secret === undefined) throw new Error('JWT_SECRET was not read');
      return jwtOf(secret).sign(claims);
    },
    verify: async (token, options) => {
      for (const secret of config.jwtSecrets) {
        const claims = await jwtOf(secret).verify(token, options);
        if (claims !== false) return claims;
      }
      return false;
    },
  };
}

/** The user and the organization that a token names, and the session it was issued in. */
export interface AccessClaims {
  readonly userId: number;
  /** Undefined in tokens of versions before 0.2.0, which knew no other organization than the user's home. */
  readonly accountId: number | undefined;
  readonly sessionId: string;
  /** The end of the token's own life. */
  readonly tokenExpiresAt: Date;
}

export function signAccessToken(
  tokens: AccessTokens,
  { userId, accountId, homeAccountId, sessionId }: Omit<AccessClaims, 'tokenExpiresAt'> & { homeAccountId: number },
): Promise<string> {
  const aud = accountId === homeAccountId ? audience : audienceElsewhere;
  return tokens.sign({ aud, sub: String(userId), [sessionClaim]: sessionId, [organizationClaim]: accountId });
}

/** Throws GatewayError `invalid_token` or `wrong_key_type`. Does not check whether the session has ended. */
export async function verifyAccessToken(
  tokens: AccessTokens,
  authorization: string | undefined,
): Promise<AccessClaims> {
  const token = bearerToken(authorization);
  if (token === undefined) throw invalidToken('Send an access token as `Authorization: Bearer …`.');
  if (parseKey(token) !== undefined) throw keyInsteadOfToken();
  const claims = await tokens.verify(token, {
    algorithms: [algorithm],
    issuer,
    audience: [audience, audienceElsewhere],
    typ: 'JWT',
    requiredClaims: ['exp', 'iat', 'sub', sessionClaim],
  });
  const userId = claims === false ? Number.NaN : Number(claims.sub);
  const sessionId = claims === false ? '' : String(claims[sessionClaim]);
  const accountId = claims === false ? undefined : claims[organizationClaim];
  const isFor = accountId === undefined || typeof accountId === 'number';
  if (!Number.isSafeInteger(userId) || !uuid.test(sessionId) || !isFor) throw badAccessToken();
  const tokenExpiresAt = new Date(Number(claims === false ? 0 : claims.exp) * 1_000);
  return { userId, accountId, sessionId, tokenExpiresAt };
}

/** The session that a token was issued in; undefined without a valid token. */
export async function findSession(
  tokens: AccessTokens,
  authorization: string | undefined,
): Promise<string | undefined> {
  try {
    return (await verifyAccessToken(tokens, authorization)).sessionId;
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

export function invalidToken(message: string): GatewayError {
  return new GatewayError('invalid_token', message);
}

export const sessionEnded = () => invalidToken('This session has ended. Log in again.');

export const badAccessToken = () => invalidToken('The access token is malformed or expired.');

export function keyInsteadOfToken(): GatewayError {
  return new GatewayError('wrong_key_type', 'This is an API key. Log in and send the access token instead.');
}
