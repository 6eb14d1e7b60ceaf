/** /api/organization/data-policy: which providers may see requests with the proxy keys of the organization. */
import { Elysia } from 'elysia';
import { authorized } from '../../../auth/authorize.ts';
import { readPublicNames } from '../../../catalogue/public-names.ts';
import { parseDataPolicy } from '../../../keys/data-policy.ts';
import { changeOrganizationRules, readOrganizationRules } from '../../../organizations/key-rules.ts';
import type { AdminServices } from '../../../services.ts';
import { checkDataPolicy } from '../../fields/data-policy.ts';
import { changeInTurn } from '../../keys/deliver-key.ts';
import { changeDataPolicyDocs, getDataPolicyDocs } from './data-policy-docs.ts';
import { emptyPolicy, renderOrganizationPolicy } from './data-policy-schemas.ts';

export function dataPolicyRoutes(services: AdminServices) {
  const { db } = services.database;
  return new Elysia({ prefix: '/api/organization/data-policy' })
    .use(authorized(services))
    .get(
      '',
      async ({ caller }) => {
        const { dataPolicy } = await readOrganizationRules(db, caller.accountId);
        return renderOrganizationPolicy(dataPolicy, await readPublicNames(db));
      },
      getDataPolicyDocs,
    )
    .put(
      '',
      async ({ actor, body, caller, request: { signal } }) => {
        const input = checkDataPolicy(body);
        if (Object.keys(input).length === 0) throw emptyPolicy();
        const dataPolicy = await parseDataPolicy(db, input);
        await changeInTurn(services, { accountId: caller.accountId, signal }, () =>
          changeOrganizationRules(db, actor, caller, { dataPolicy }),
        );
        return renderOrganizationPolicy(dataPolicy, await readPublicNames(db));
      },
      changeDataPolicyDocs,
    );
}
