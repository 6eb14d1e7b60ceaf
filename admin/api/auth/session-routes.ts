/**
 * /api/auth: stay logged in and log out. The refresh token is read from the body or the cookie; the body takes
 * precedence. An access token is enough to log out.
 */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { findUserById } from '../../auth/find-user.ts';
import type { LoginProtection } from '../../auth/login-protection.ts';
import { accessTokens, findSession, invalidToken } from '../../auth/sessions/access-tokens.ts';
import { expiredRefreshCookie, readRefreshCookie, refreshCookie } from '../../auth/sessions/refresh-cookie.ts';
import { findTokenUser, revokeRefreshToken, rotateRefreshToken } from '../../auth/sessions/refresh-tokens.ts';
import { revokeSession } from '../../auth/sessions/revoke-sessions.ts';
import { sessionClient } from '../../http/request/caller-address.ts';
import { sameOriginOnly } from '../../http/request/same-origin.ts';
import type { AdminServices } from '../../services.ts';
import { deliverDeactivation } from '../keys/deliver-key.ts';
import { logoutDocs, refreshDocs } from './auth-docs.ts';
import { refreshBody } from './auth-schemas.ts';
import { makeSession } from './session.ts';

export function sessionRoutes(services: AdminServices, protection: LoginProtection) {
  const { config, database } = services;
  const { db } = database;
  return new Elysia({ prefix: '/api/auth' })
    .use(accessTokens(config))
    .use(sameOriginOnly(config.publicUrl))
    .post(
      '/refresh',
      async ({ accessTokens, body, headers, request, server, set }) => {
        const token = refreshTokenOf(body, headers.cookie);
        if (token === undefined) throw invalidToken('Send a refresh token in the body or as the cookie.');
        const userId = await findTokenUser(database.sql, token);
        // Each refresh leaves a row until the token would have expired.
        if (userId !== undefined) await protection.requests.countRefresh(userId);
        const client = sessionClient({ request, server }, config);
        const rotated = await rotateRefreshToken(database, { token, secrets: config.jwtSecrets, client });
        const user = await findUserById(db, rotated.userId);
        if (user === undefined) throw invalidToken('The user of this refresh token no longer exists.');
        set.headers['set-cookie'] = refreshCookie(rotated.refreshToken, config.publicUrl);
        return makeSession({ db, accessTokens }, user, rotated);
      },
      refreshDocs,
    )
    .post(
      '/logout',
      async ({ accessTokens, body, headers, set }) => {
        const token = refreshTokenOf(body, headers.cookie);
        const sessionId = await findSession(accessTokens, headers.authorization);
        const ended = [
          token === undefined ? undefined : await revokeRefreshToken(database, token),
          sessionId === undefined ? undefined : await revokeSession(db, sessionId),
        ].filter((session) => session !== undefined);
        for (const { accountId } of ended) await deliverDeactivation(services, accountId);
        set.status = 204;
        set.headers['set-cookie'] = expiredRefreshCookie(config.publicUrl);
      },
      logoutDocs,
    );
}

function refreshTokenOf(body: unknown, cookies: string | undefined): string | undefined {
  return checkValue(refreshBody, body).refreshToken ?? readRefreshCookie(cookies);
}
