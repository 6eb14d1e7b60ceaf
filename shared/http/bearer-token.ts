/** What an `Authorization` header carries, by RFC 6750 §2.1. */

const bearer = /^bearer +(\S+) *$/i;

/** Undefined where there is no header or it is of another scheme. */
export function bearerToken(authorization: string | undefined | null): string | undefined {
  return bearer.exec(authorization ?? '')?.[1];
}
