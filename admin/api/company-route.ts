/** PUT /api/profile/details: whom accounting documents are made out to. */
import { Elysia } from 'elysia';
import { requireUser } from '../auth/require-user.ts';
import { preferredLanguage } from '../http/preferred-language.ts';
import { checkCompany } from '../profile/check-company.ts';
import { replaceCompany } from '../profile/company-store.ts';
import type { AdminServices } from '../services.ts';
import { changeDetailsDocs } from './profile-docs.ts';
import { renderProfile } from './profile-schemas.ts';

export const companyRoute = (services: AdminServices) =>
  new Elysia().use(requireUser(services)).put(
    '/api/profile/details',
    async ({ body, caller, headers, set }) => {
      set.headers.vary = 'accept-language';
      const details = checkCompany(body, preferredLanguage(headers['accept-language']));
      const dropped = await replaceCompany(services.database.db, caller.accountId, details);
      return { ...renderProfile(caller, details), dropped };
    },
    changeDetailsDocs,
  );
