/** PUT /api/profile/details: whom accounting documents are made out to. */
import { Elysia } from 'elysia';
import { requireUser } from '../../auth/require-user.ts';
import { preferredLanguage } from '../../http/request/preferred-language.ts';
import { checkCompany } from '../../profile/check-company.ts';
import type { CompanyDetails } from '../../profile/company-fields.ts';
import { changeCompany } from '../../profile/company-store.ts';
import type { AdminServices } from '../../services.ts';
import { changeDetailsDocs } from './profile-docs.ts';
import { renderProfile } from './profile-schemas.ts';

export const companyRoute = (services: AdminServices) =>
  new Elysia().use(requireUser(services)).put(
    '/api/profile/details',
    async ({ body, caller, headers, set }) => {
      set.headers.vary = 'accept-language';
      const language = preferredLanguage(headers['accept-language']);
      const change = (before: CompanyDetails) => checkCompany(body, language, before);
      const { details, dropped } = await changeCompany(services.database.db, caller.accountId, change);
      return { ...renderProfile(caller, details), dropped };
    },
    changeDetailsDocs,
  );
