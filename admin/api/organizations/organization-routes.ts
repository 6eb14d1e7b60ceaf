/** /api/organizations, /api/organization and /api/auth/switch: which organizations someone belongs to, and the one they are in. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { authorized } from '../../auth/authorize.ts';
import type { LoginProtection } from '../../auth/login-protection.ts';
import { refreshCookie } from '../../auth/sessions/refresh-cookie.ts';
import { switchOrganization } from '../../auth/sessions/switch-organization.ts';
import { refuseBlocked } from '../../database/rows/account-state.ts';
import { sessionClient } from '../../http/request/caller-address.ts';
import { sameOriginOnly } from '../../http/request/same-origin.ts';
import {
  changeOrganization,
  createOrganization,
  listOrganizations,
  readOrganization,
} from '../../organizations/organizations.ts';
import type { AdminServices } from '../../services.ts';
import { makeSession } from '../auth/session.ts';
import { changeInTurn, deliverDeactivation } from '../keys/deliver-key.ts';
import {
  changeOrganizationDocs,
  createOrganizationDocs,
  getOrganizationDocs,
  listOrganizationsDocs,
  switchDocs,
} from './organization-docs.ts';
import {
  changeOrganizationBody,
  newOrganizationBody,
  nothingToChange,
  renderOrganization,
  switchBody,
} from './organization-schemas.ts';

export function organizationRoutes(services: AdminServices) {
  const { db } = services.database;
  const placeOf = ({ id, accountId }: { id: number; accountId: number }) => ({ userId: id, accountId });
  return new Elysia({ prefix: '/api' })
    .use(authorized(services))
    .get(
      '/organizations',
      async ({ caller }) => ({
        organizations: (await listOrganizations(db, caller.id)).map(({ id, name, role }) => ({
          ...{ id, name, role },
          current: id === caller.accountId,
        })),
      }),
      listOrganizationsDocs,
    )
    .post(
      '/organizations',
      async ({ actor, body, caller, set }) => {
        const { name } = checkValue(newOrganizationBody, body);
        const accountId = await createOrganization(db, actor, { user: caller, name });
        set.status = 201;
        return renderOrganization(await readOrganization(db, { userId: caller.id, accountId }));
      },
      createOrganizationDocs,
    )
    .get(
      '/organization',
      async ({ caller }) => renderOrganization(await readOrganization(db, placeOf(caller))),
      getOrganizationDocs,
    )
    .put(
      '/organization',
      async ({ actor, body, caller, request: { signal } }) => {
        const { accountId } = caller;
        const change = checkValue(changeOrganizationBody, body);
        if (Object.keys(change).length === 0) throw nothingToChange();
        const apply = () => changeOrganization(db, actor, caller, change);
        // Keys know when the days of their budgets begin.
        await (change.timeZone === undefined ? apply() : changeInTurn(services, { accountId, signal }, apply));
        return renderOrganization(await readOrganization(db, placeOf(caller)));
      },
      changeOrganizationDocs,
    );
}

/** Sets the cookie, as the other routes of /api/auth. Each session is a row, as each refreshed token is. */
export function switchRoute(services: AdminServices, protection: LoginProtection) {
  const { config, database } = services;
  const { db } = database;
  return new Elysia({ prefix: '/api/auth' })
    .use(authorized(services))
    .use(sameOriginOnly(config.publicUrl))
    .post(
      '/switch',
      async ({ accessTokens, body, caller, request, server, set }) => {
        const { organizationId: accountId } = checkValue(switchBody, body);
        await protection.requests.countRefresh(caller.id);
        await readOrganization(db, { userId: caller.id, accountId });
        await refuseBlocked(db, accountId);
        const client = sessionClient({ request, server }, config);
        const { sessionId } = caller;
        const issued = await switchOrganization(db, { user: caller, sessionId, accountId, client });
        await deliverDeactivation(services, caller.accountId);
        set.headers['set-cookie'] = refreshCookie(issued.refreshToken, config.publicUrl);
        return makeSession({ db, accessTokens }, caller, issued);
      },
      switchDocs,
    );
}
