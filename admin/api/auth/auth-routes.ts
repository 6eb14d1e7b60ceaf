/** /api/auth: sign up and log in. The refresh token is in the body, for programs, and in a cookie, for browsers. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { parseEmail } from '../../auth/email-address.ts';
import { logIn } from '../../auth/log-in.ts';
import type { LoginProtection } from '../../auth/login-protection.ts';
import { checkPassword } from '../../auth/passwords/password-rules.ts';
import { requireFactor } from '../../auth/second-factor/log-in-with-factor.ts';
import { accessTokens } from '../../auth/sessions/access-tokens.ts';
import { chooseOrganization } from '../../auth/sessions/choose-organization.ts';
import { refreshCookie } from '../../auth/sessions/refresh-cookie.ts';
import { issueRefreshToken } from '../../auth/sessions/refresh-tokens.ts';
import { signUp, signUpClosed } from '../../auth/sign-up.ts';
import { callerAddress, sessionClient } from '../../http/request/caller-address.ts';
import { preferredLanguage } from '../../http/request/preferred-language.ts';
import { sameOriginOnly } from '../../http/request/same-origin.ts';
import type { AdminServices } from '../../services.ts';
import { loginDocs, registerDocs } from './auth-docs.ts';
import { loginBody, registerBody } from './auth-schemas.ts';
import { makeSession } from './session.ts';

export function authRoutes({ config, database }: AdminServices, protection: LoginProtection) {
  const { db } = database;
  const { publicUrl } = config;

  return new Elysia({ prefix: '/api/auth' })
    .use(accessTokens(config))
    .use(sameOriginOnly(config.publicUrl))
    .post(
      '/register',
      async ({ accessTokens, body, headers, request, server, set }) => {
        if (!config.registrationOpen) throw signUpClosed();
        const { password, displayName, ...input } = checkValue(registerBody, body);
        const email = parseEmail(input.email);
        checkPassword(password, { email, param: 'password' });
        const person = { email, password, displayName: displayName?.trim() || null };
        const language = preferredLanguage(headers['accept-language']);
        const address = callerAddress({ request, server }, config);
        const user = await signUp({ db, protection }, { ...person, address, language, publicUrl });
        const issued = await issueRefreshToken(db, { user, client: sessionClient({ request, server }, config) });
        set.status = 201;
        set.headers['set-cookie'] = refreshCookie(issued.refreshToken, publicUrl);
        return makeSession({ db, accessTokens }, user, issued);
      },
      registerDocs,
    )
    .post(
      '/login',
      async ({ accessTokens, body, request, server, set }) => {
        const { password, ...input } = checkValue(loginBody, body);
        const credentials = {
          email: parseEmail(input.email),
          password,
          address: callerAddress({ request, server }, config),
        };
        const user = await logIn({ db, ...protection }, credentials);
        await requireFactor(db, user);
        // Only callers who know the password learn that the account is blocked.
        const accountId = await chooseOrganization(db, user);
        const issued = await issueRefreshToken(db, {
          user,
          accountId,
          client: sessionClient({ request, server }, config),
        });
        set.headers['set-cookie'] = refreshCookie(issued.refreshToken, publicUrl);
        return makeSession({ db, accessTokens }, user, issued);
      },
      loginDocs,
    );
}
