/** /api/organization/ip-allow-list: from where requests with the proxy keys of the organization are accepted. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../../shared/http/check-value.ts';
import { authorized } from '../../../auth/authorize.ts';
import { exactCallerAddress } from '../../../http/request/caller-address.ts';
import { parseAllowedIps } from '../../../keys/allowed-ips.ts';
import { changeOrganizationRules, readOrganizationRules } from '../../../organizations/key-rules.ts';
import type { AdminServices } from '../../../services.ts';
import { changeInTurn } from '../../keys/deliver-key.ts';
import { changeAllowListDocs, getAllowListDocs } from './ip-allow-list-docs.ts';
import { allowListBody, renderAllowList } from './ip-allow-list-schemas.ts';

export function allowListRoutes(services: AdminServices) {
  const { config, database } = services;
  const { db } = database;
  return new Elysia({ prefix: '/api/organization/ip-allow-list' })
    .use(authorized(services))
    .get(
      '',
      async ({ caller, request, server }) => {
        const { allowedIps } = await readOrganizationRules(db, caller.accountId);
        return renderAllowList(allowedIps, exactCallerAddress({ request, server }, config));
      },
      getAllowListDocs,
    )
    .put(
      '',
      async ({ actor, body, caller, request, server }) => {
        const { entries } = checkValue(allowListBody, body);
        const allowedIps = parseAllowedIps(entries, 'entries');
        await changeInTurn(services, { accountId: caller.accountId, signal: request.signal }, () =>
          changeOrganizationRules(db, actor, caller, { allowedIps }),
        );
        return renderAllowList(allowedIps, exactCallerAddress({ request, server }, config));
      },
      changeAllowListDocs,
    );
}
