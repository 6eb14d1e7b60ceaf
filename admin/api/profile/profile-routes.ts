/** /api/profile: the user, their password, and the recipient of accounting documents. */
import { Elysia } from 'elysia';
import { GatewayError } from '../../../shared/errors.ts';
import { checkValue } from '../../../shared/http/check-value.ts';
import { changeProfile, type ProfileChange, parseAvatarUrl } from '../../accounts/profile/change-profile.ts';
import { checkCompany } from '../../accounts/profile/check-company.ts';
import type { CompanyDetails } from '../../accounts/profile/company-fields.ts';
import { changeCompany, readCompany } from '../../accounts/profile/company-store.ts';
import { authorized, type Caller } from '../../auth/authorize.ts';
import { parseEmail } from '../../auth/email-address.ts';
import { inEvenTime } from '../../auth/even-time.ts';
import type { LoginProtection } from '../../auth/login-protection.ts';
import { changePassword } from '../../auth/passwords/change-password.ts';
import { confirmPassword } from '../../auth/passwords/confirm-password.ts';
import { callerAddress } from '../../http/request/caller-address.ts';
import { preferredLanguage } from '../../http/request/preferred-language.ts';
import { settablePart } from '../../http/request/settable-part.ts';
import type { AdminServices } from '../../services.ts';
import { changeDetailsDocs, changePasswordDocs, changeProfileDocs, getProfileDocs } from './profile-docs.ts';
import { changeProfileBody, nothingToChange, passwordBody, renderProfile } from './profile-schemas.ts';

export function profileRoutes(services: AdminServices, protection: LoginProtection) {
  const { config, database } = services;
  const { db } = database;
  return new Elysia({ prefix: '/api/profile' })
    .use(authorized(services))
    .get('', async ({ caller }) => renderProfile(caller, await readCompany(db, caller.accountId)), getProfileDocs)
    .put(
      '',
      async ({ body, caller, headers, request, server }) => {
        const shown = renderProfile(caller, await readCompany(db, caller.accountId));
        const input = checkValue(changeProfileBody, settablePart(body, { shown, schema: changeProfileBody }));
        const change = { ...readNames(input), ...readEmail(caller, input.email, Object(body)) };
        if (Object.keys(input).length === 0) throw nothingToChange();
        if (typeof change.pendingEmail === 'string') {
          const address = callerAddress({ request, server }, config);
          const password = requirePassword(input.current_password);
          await confirmPassword(protection, { user: caller, password, address });
          await protection.requests.countMail({ purpose: 'verify', to: change.pendingEmail, address });
        }
        if (Object.keys(change).length === 0) return shown;
        const link = { language: preferredLanguage(headers['accept-language']), publicUrl: config.publicUrl };
        const changing = changeProfile({ db, protection }, caller, { change, link });
        const user = await (typeof change.pendingEmail === 'string' ? inEvenTime(changing) : changing);
        return renderProfile({ ...caller, ...user }, await readCompany(db, caller.accountId));
      },
      changeProfileDocs,
    )
    .post(
      '/password',
      async ({ body, caller, headers, request, server, set }) => {
        const { current_password: password, new_password: newPassword } = checkValue(passwordBody, body);
        const address = callerAddress({ request, server }, config);
        const language = preferredLanguage(headers['accept-language']);
        await changePassword({ db, protection }, { caller, password, newPassword, address, language });
        set.status = 204;
      },
      changePasswordDocs,
    );
}

/** Separate, because its error messages are in the client's language. */
export function detailsRoute(services: AdminServices) {
  return new Elysia().use(authorized(services)).put(
    '/api/profile/details',
    async ({ actor, body, caller, headers, set }) => {
      set.headers.vary = 'accept-language';
      const language = preferredLanguage(headers['accept-language']);
      const change = (before: CompanyDetails) => checkCompany(body, language, before);
      const { details, dropped } = await changeCompany(services.database.db, actor, caller.accountId, change);
      return { ...renderProfile(caller, details), dropped };
    },
    changeDetailsDocs,
  );
}

/** A blank name counts as none. */
function readNames(input: Pick<typeof changeProfileBody.static, 'displayName' | 'avatarUrl'>): ProfileChange {
  const { displayName, avatarUrl } = input;
  return {
    ...(displayName !== undefined && { displayName: displayName?.trim() || null }),
    ...(avatarUrl !== undefined && { avatarUrl: avatarUrl === null ? null : parseAvatarUrl(avatarUrl) }),
  };
}

/** Sending the current address cancels a pending change, unless the profile is sent back as it was shown. */
function readEmail(
  caller: Caller,
  text: string | undefined,
  { pendingEmail }: { pendingEmail?: unknown },
): ProfileChange {
  if (text === undefined || (text === caller.email && pendingEmail === caller.pendingEmail)) return {};
  const email = parseEmail(text);
  return { pendingEmail: email.toLowerCase() === caller.email.toLowerCase() ? null : email };
}

function requirePassword(password: string | undefined): string {
  if (password !== undefined) return password;
  const message = "Missing required parameter: 'current_password'. A new e-mail address needs it.";
  throw new GatewayError('missing_parameter', message, { param: 'current_password' });
}
