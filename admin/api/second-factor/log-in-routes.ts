/** /api/auth/login/…: log-ins with a second factor, or with a passkey alone. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import type { LoginProtection } from '../../auth/login-protection.ts';
import { challengeForPasskey, logInWithFactor } from '../../auth/second-factor/log-in-with-factor.ts';
import { requestOptions } from '../../auth/second-factor/passkeys.ts';
import { accessTokens } from '../../auth/sessions/access-tokens.ts';
import { refreshCookie } from '../../auth/sessions/refresh-cookie.ts';
import { callerAddress, sessionClient } from '../../http/request/caller-address.ts';
import { preferredLanguage } from '../../http/request/preferred-language.ts';
import { sameOriginOnly } from '../../http/request/same-origin.ts';
import type { AdminServices } from '../../services.ts';
import { makeSession } from '../auth/session.ts';
import { proofServices } from './proof-services.ts';
import { passkeyLoginDocs, secondFactorDocs } from './second-factor-docs.ts';
import { passkeyLoginBody, readProof, secondFactorBody } from './second-factor-schemas.ts';

export function factorLoginRoutes({ config, database }: AdminServices, protection: LoginProtection) {
  const { db } = database;
  return new Elysia({ prefix: '/api/auth/login' })
    .use(accessTokens(config))
    .use(sameOriginOnly(config.publicUrl))
    .post(
      '/second-factor',
      async ({ accessTokens, body, headers, request, server, set }) => {
        const { challenge, ...answer } = checkValue(secondFactorBody, body);
        const { user, issued } = await logInWithFactor(db, proofServices(config), {
          challenge,
          proof: readProof(answer),
          client: sessionClient({ request, server }, config),
          language: preferredLanguage(headers['accept-language']),
        });
        set.headers['set-cookie'] = refreshCookie(issued.refreshToken, config.publicUrl);
        return makeSession({ db, accessTokens }, user, issued);
      },
      secondFactorDocs,
    )
    .post(
      '/passkey',
      async ({ body, request, server }) => {
        const { challenge: begun } = checkValue(passkeyLoginBody, body);
        await protection.requests.countSignIn(callerAddress({ request, server }, config));
        const { challenge, expiresAt, ...asked } = await challengeForPasskey(db, begun);
        const options = await requestOptions(db, proofServices(config).site, asked);
        return { challenge, expiresAt: expiresAt.toISOString(), options };
      },
      passkeyLoginDocs,
    );
}
