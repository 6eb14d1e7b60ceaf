/**
 * /api/auth: stay logged in and log out. The refresh token is read from the body or the cookie; the body takes
 * precedence. An access token is enough to log out.
 */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { findUserById } from '../../auth/find-user.ts';
import { accessTokens, findSession, invalidToken } from '../../auth/sessions/access-tokens.ts';
import { expiredRefreshCookie, readRefreshCookie, refreshCookie } from '../../auth/sessions/refresh-cookie.ts';
import { revokeRefreshToken, revokeSession, rotateRefreshToken } from '../../auth/sessions/refresh-tokens.ts';
import { makeSession } from '../../auth/sessions/session.ts';
import type { AdminServices } from '../../services.ts';
import { logoutDocs, refreshDocs } from './auth-docs.ts';
import { refreshBody } from './auth-schemas.ts';

export function sessionRoutes({ config, database }: AdminServices) {
  const { db, sql } = database;
  return new Elysia({ prefix: '/api/auth' })
    .use(accessTokens(config.jwtSecret))
    .post(
      '/refresh',
      async ({ accessTokens, body, headers, set }) => {
        const token = refreshTokenOf(body, headers.cookie);
        if (token === undefined) throw invalidToken('Send a refresh token in the body or as the cookie.');
        const rotated = await rotateRefreshToken(sql, token);
        const user = await findUserById(db, rotated.userId);
        if (user === undefined) throw invalidToken('The user of this refresh token no longer exists.');
        set.headers['set-cookie'] = refreshCookie(rotated.refreshToken, config.publicUrl);
        return makeSession(accessTokens, user, rotated);
      },
      refreshDocs,
    )
    .post(
      '/logout',
      async ({ accessTokens, body, headers, set }) => {
        const token = refreshTokenOf(body, headers.cookie);
        const sessionId = await findSession(accessTokens, headers.authorization);
        if (token !== undefined) await revokeRefreshToken(sql, token);
        if (sessionId !== undefined) await revokeSession(sql, sessionId);
        set.status = 204;
        set.headers['set-cookie'] = expiredRefreshCookie(config.publicUrl);
      },
      logoutDocs,
    );
}

function refreshTokenOf(body: unknown, cookies: string | undefined): string | undefined {
  return checkValue(refreshBody, body).refreshToken ?? readRefreshCookie(cookies);
}
