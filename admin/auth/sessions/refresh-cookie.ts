/**
 * The refresh token as a browser's cookie: hidden from scripts, never sent by other sites, and sent only to the
 * endpoints that need it.
 */
import { refreshTokenLifeSeconds } from './refresh-tokens.ts';

const name = 'gateway_refresh';
const path = '/api/auth';

/** The value of a `Set-Cookie` header. */
export function refreshCookie(token: string, publicUrl: string): string {
  return serialize(token, publicUrl, refreshTokenLifeSeconds);
}

/** A `Set-Cookie` header that deletes the cookie. */
export function expiredRefreshCookie(publicUrl: string): string {
  return serialize('', publicUrl, 0);
}

export function readRefreshCookie(cookies: string | undefined): string | undefined {
  return new Bun.CookieMap(cookies ?? '').get(name) || undefined;
}

function serialize(value: string, publicUrl: string, maxAge: number): string {
  const secure = publicUrl.startsWith('https:');
  return new Bun.Cookie({ name, value, path, maxAge, secure, httpOnly: true, sameSite: 'strict' }).serialize();
}
