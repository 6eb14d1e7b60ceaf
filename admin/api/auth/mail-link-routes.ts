/** /api/auth: the endpoints behind mailed links, which verify an address or reset a forgotten password. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { authenticateUser, authorized } from '../../auth/authorize.ts';
import { parseEmail } from '../../auth/email-address.ts';
import { inEvenTime } from '../../auth/even-time.ts';
import type { LoginProtection } from '../../auth/login-protection.ts';
import { linkOrNotifyOwner } from '../../auth/mail-links/notify-owner.ts';
import { verifyEmail } from '../../auth/mail-links/verify-email.ts';
import { requestPasswordReset } from '../../auth/passwords/request-password-reset.ts';
import { resetPassword } from '../../auth/passwords/reset-password.ts';
import { accessTokens } from '../../auth/sessions/access-tokens.ts';
import { isProven } from '../../database/rows/account-state.ts';
import { callerAddress } from '../../http/request/caller-address.ts';
import { preferredLanguage } from '../../http/request/preferred-language.ts';
import type { AdminServices } from '../../services.ts';
import { deliverDeactivationOf } from '../keys/deliver-key.ts';
import { forgotPasswordDocs, resendVerificationDocs, resetPasswordDocs, verifyEmailDocs } from './mail-link-docs.ts';
import {
  forgotPasswordBody,
  type Resent,
  resetPasswordBody,
  type Verified,
  verifyEmailBody,
} from './mail-link-schemas.ts';

export function mailLinkRoutes(services: AdminServices, protection: LoginProtection) {
  const { config, database } = services;
  const { db } = database;
  return new Elysia({ prefix: '/api/auth' })
    .use(accessTokens(config))
    .post(
      '/verify-email',
      async ({ accessTokens, body, headers }): Promise<Verified> => {
        const { token } = checkValue(verifyEmailBody, body);
        const { authorization } = headers;
        const caller = authorization ? await authenticateUser(services, accessTokens, authorization) : undefined;
        const language = preferredLanguage(headers['accept-language']);
        const { userId, ...verified } = await verifyEmail(db, { token, caller, language });
        await deliverDeactivationOf(services, userId);
        return { ...verified, emailVerified: true };
      },
      verifyEmailDocs,
    )
    .post(
      '/forgot-password',
      async ({ body, headers, request, server, set }) => {
        const email = parseEmail(checkValue(forgotPasswordBody, body).email);
        const address = callerAddress({ request, server }, config);
        await protection.requests.countMail({ purpose: 'reset', to: email, address });
        const language = preferredLanguage(headers['accept-language']);
        await requestPasswordReset({ db, protection }, { email, language, publicUrl: config.publicUrl });
        set.status = 202;
      },
      forgotPasswordDocs,
    )
    .post(
      '/reset-password',
      async ({ body, headers, request, server, set }) => {
        const { token, new_password: password } = checkValue(resetPasswordBody, body);
        const language = preferredLanguage(headers['accept-language']);
        const address = callerAddress({ request, server }, config);
        const userId = await resetPassword({ db, protection }, { token, password, language, address });
        await deliverDeactivationOf(services, userId);
        set.status = 204;
      },
      resetPasswordDocs,
    )
    .use(resendVerificationRoute(services, protection));
}

function resendVerificationRoute(services: AdminServices, protection: LoginProtection) {
  const { config, database } = services;
  return new Elysia().use(authorized(services)).post(
    '/resend-verification',
    async ({ caller, headers, request, server }): Promise<Resent> => {
      const isVerified = caller.emailVerifiedAt !== null && (await isProven(database.db, caller.homeAccountId));
      const to = caller.pendingEmail ?? (isVerified ? null : caller.email);
      if (to === null) return { sentTo: null };
      await protection.requests.countMail({
        purpose: 'verify',
        to,
        address: callerAddress({ request, server }, config),
      });
      const language = preferredLanguage(headers['accept-language']);
      const { id: userId, homeAccountId: accountId } = caller;
      const link = { purpose: 'verify_email', userId, accountId, to, language, publicUrl: config.publicUrl } as const;
      await inEvenTime(linkOrNotifyOwner({ db: database.db, protection }, link));
      return { sentTo: to };
    },
    resendVerificationDocs,
  );
}
