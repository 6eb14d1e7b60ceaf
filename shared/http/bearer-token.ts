/** The token of an `Authorization` header, by RFC 6750 §2.1. */

const bearer = /^bearer +(\S+) *$/i;
/** The usual spelling. */
const usualBearer = /^Bearer \S+$/;
const usualScheme = 'Bearer ';

/** Undefined if there is no header or it has another scheme. */
export function bearerToken(authorization: string | undefined | null): string | undefined {
  if (authorization && usualBearer.test(authorization)) return authorization.slice(usualScheme.length);
  return bearer.exec(authorization ?? '')?.[1];
}
