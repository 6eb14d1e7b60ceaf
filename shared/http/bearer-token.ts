/** What an `Authorization` header carries, by RFC 6750 §2.1. */

const bearer = /^bearer +(\S+) *$/i;
/** As nearly everybody writes it. */
const usualBearer = /^Bearer \S+$/;
const usualScheme = 'Bearer ';

/** Undefined where there is no header or it is of another scheme. */
export function bearerToken(authorization: string | undefined | null): string | undefined {
  if (authorization && usualBearer.test(authorization)) return authorization.slice(usualScheme.length);
  return bearer.exec(authorization ?? '')?.[1];
}
