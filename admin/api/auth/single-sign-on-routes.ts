/** /api/auth/oidc: sign-ins with the identity provider of an organization, and their tests. */
import { Elysia } from 'elysia';
import { GatewayError } from '../../../shared/errors.ts';
import { checkValue } from '../../../shared/http/check-value.ts';
import { authorized } from '../../auth/authorize.ts';
import type { LoginProtection } from '../../auth/login-protection.ts';
import { refreshCookie } from '../../auth/sessions/refresh-cookie.ts';
import { callerAddress, sessionClient } from '../../http/request/caller-address.ts';
import { preferredLanguage } from '../../http/request/preferred-language.ts';
import { sameOriginOnly } from '../../http/request/same-origin.ts';
import { requestIdOf } from '../../http/response-headers.ts';
import {
  type BegunSignIn,
  beginSignIn,
  beginTest,
  completeSignIn,
  type SignInServices,
  signInMinutes,
} from '../../organizations/single-sign-on/sign-in.ts';
import type { AdminServices } from '../../services.ts';
import { deliverDeactivationOf } from '../keys/deliver-key.ts';
import { testProviderDocs } from '../organizations/sign-in/sign-in-docs.ts';
import { beginSignInDocs, callbackDocs } from './single-sign-on-docs.ts';
import { beginSignInBody } from './single-sign-on-schemas.ts';

const cookieName = 'gateway_sign_in';

export function singleSignOnRoutes(services: AdminServices, protection: LoginProtection) {
  const { config, database } = services;
  const signIns: SignInServices = { db: database.db, passwords: protection.passwords, config };
  return (
    new Elysia({ prefix: '/api/auth/oidc' })
      // Before the others: providers send browsers to it from their own origin.
      .use(callbackRoute(services, signIns))
      .use(sameOriginOnly(config.publicUrl))
      .post(
        '',
        async ({ body, request, server, set }) => {
          const { email } = checkValue(beginSignInBody, body);
          await protection.requests.countSignIn(callerAddress({ request, server }, config));
          return answerBegun(await beginSignIn(signIns, email), set, config.publicUrl);
        },
        beginSignInDocs,
      )
      .use(testRoute(services, { protection, signIns }))
  );
}

/** The browser comes from the provider's origin, and to a page: what went wrong is shown by the dashboard. */
function callbackRoute(services: AdminServices, signIns: SignInServices) {
  const { config, log } = services;
  return new Elysia().get(
    '/callback',
    async ({ headers, request, server, set }) => {
      const url = new URL(request.url);
      const client = sessionClient({ request, server }, config);
      const actor = { address: client.address, requestId: requestIdOf(set), isMember: true };
      set.status = 303;
      set.headers['cache-control'] = 'no-store';
      const unbound = bindingCookie('', 0, config.publicUrl);
      set.headers['set-cookie'] = unbound;
      try {
        const signedIn = await completeSignIn(signIns, {
          state: url.searchParams.get('state') ?? '',
          query: url.search,
          browser: new Bun.CookieMap(headers.cookie ?? '').get(cookieName) ?? undefined,
          client,
          language: preferredLanguage(headers['accept-language']),
          actor,
        });
        if (signedIn.kind === 'test') {
          set.headers.location = `${config.publicUrl}/organization?tab=sign-in`;
          return '';
        }
        await deliverDeactivationOf(services, signedIn.user.id);
        set.headers['set-cookie'] = [refreshCookie(signedIn.issued.refreshToken, config.publicUrl), unbound];
        set.headers.location = `${config.publicUrl}/`;
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        log.warn({ err: error, requestId: actor.requestId }, 'a sign-in with an identity provider has failed');
        const { code: failed, details } = error;
        const query = new URLSearchParams({ error: failed, ...(details?.reason && { reason: details.reason }) });
        set.headers.location = `${config.publicUrl}/login?${query}`;
      }
      return '';
    },
    callbackDocs,
  );
}

interface TestServices {
  readonly protection: LoginProtection;
  readonly signIns: SignInServices;
}

function testRoute(services: AdminServices, { protection, signIns }: TestServices) {
  const { config } = services;
  return new Elysia().use(authorized(services)).post(
    '/test',
    async ({ caller, request, server, set }) => {
      await protection.requests.countSignIn(callerAddress({ request, server }, config));
      return answerBegun(await beginTest(signIns, caller), set, config.publicUrl);
    },
    testProviderDocs,
  );
}

function answerBegun({ url, browser }: BegunSignIn, set: { headers: Record<string, unknown> }, publicUrl: string) {
  set.headers['set-cookie'] = bindingCookie(browser, signInMinutes * 60, publicUrl);
  return { url };
}

/** `Lax`: the provider's page sends the browser back, which is a navigation from another site. */
function bindingCookie(value: string, maxAge: number, publicUrl: string): string {
  const secure = publicUrl.startsWith('https:');
  const options = { path: '/api/auth/oidc', httpOnly: true, sameSite: 'lax', secure, maxAge } as const;
  return new Bun.Cookie(cookieName, value, options).serialize();
}
