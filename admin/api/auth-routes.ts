/** /api/auth: sign up and log in. The refresh token is answered in the body, for programs, and as a cookie, for browsers. */
import { Elysia } from 'elysia';
import { GatewayError } from '../../shared/errors.ts';
import { checkValue } from '../../shared/http/check-value.ts';
import { accessTokens } from '../auth/access-tokens.ts';
import { createUser } from '../auth/create-user.ts';
import { parseEmail } from '../auth/email-address.ts';
import { logIn } from '../auth/log-in.ts';
import { LoginThrottle } from '../auth/login-throttle.ts';
import type { PasswordHasher } from '../auth/password-hasher.ts';
import { checkPassword } from '../auth/password-rules.ts';
import { refreshCookie } from '../auth/refresh-cookie.ts';
import { issueRefreshToken } from '../auth/refresh-tokens.ts';
import { makeSession } from '../auth/session.ts';
import { clientAddress } from '../http/client-address.ts';
import type { AdminServices } from '../services.ts';
import { loginDocs, registerDocs } from './auth-docs.ts';
import { loginBody, registerBody } from './auth-schemas.ts';

export function authRoutes(services: AdminServices, passwords: PasswordHasher) {
  const { config, database, redis, log } = services;
  const { db, sql } = database;
  const throttle = new LoginThrottle(redis, log);
  const cookieOf = (token: string) => refreshCookie(token, config.publicUrl);

  return new Elysia({ prefix: '/api/auth' })
    .use(accessTokens(config.jwtSecret))
    .post(
      '/register',
      async ({ accessTokens, body, set }) => {
        if (!config.registrationOpen) throw new GatewayError('registration_closed', 'Sign-up is closed.');
        const { password, displayName, ...input } = checkValue(registerBody, body);
        const email = parseEmail(input.email);
        checkPassword(password, { email, param: 'password' });
        const passwordHash = await passwords.hash(password);
        const trimmedName = displayName?.trim() || null;
        const user = await createUser(db, { email, passwordHash, displayName: trimmedName, role: 'customer' });
        const refreshToken = await issueRefreshToken(sql, user.id);
        set.status = 201;
        set.headers['set-cookie'] = cookieOf(refreshToken);
        return makeSession(accessTokens, user, refreshToken);
      },
      registerDocs,
    )
    .post(
      '/login',
      async ({ accessTokens, body, headers, request, server, set }) => {
        const { password, ...input } = checkValue(loginBody, body);
        const address = clientAddress({
          socketAddress: server?.requestIP(request)?.address,
          forwardedFor: headers['x-forwarded-for'],
          trustedProxyHops: config.trustedProxyHops,
        });
        const user = await logIn({ db, passwords, throttle }, { email: parseEmail(input.email), password, address });
        const refreshToken = await issueRefreshToken(sql, user.id);
        set.headers['set-cookie'] = cookieOf(refreshToken);
        return makeSession(accessTokens, user, refreshToken);
      },
      loginDocs,
    );
}
