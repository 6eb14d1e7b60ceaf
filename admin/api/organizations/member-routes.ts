/** /api/members: the people of the organization, and their roles. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { authorized } from '../../auth/authorize.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { changeRole, listMembers, removeMember } from '../../organizations/members.ts';
import type { AdminServices } from '../../services.ts';
import { changeInTurn } from '../keys/deliver-key.ts';
import { changeMemberDocs, listMembersDocs, removeMemberDocs } from './organization-docs.ts';
import { memberParams, removalQuery, renderMember, roleBody } from './organization-schemas.ts';

export function memberRoutes(services: AdminServices) {
  const { db } = services.database;
  return new Elysia({ prefix: '/api/members' })
    .use(authorized(services))
    .get(
      '',
      async ({ caller }) => ({ members: (await listMembers(db, caller.accountId)).map(renderMember) }),
      listMembersDocs,
    )
    .put(
      '/:id',
      async ({ actor, body, caller, params, request: { signal }, set }) => {
        const { id: userId } = checkQuery(memberParams, params);
        const { role, keys = 'deactivate' } = checkValue(roleBody, body);
        const successor = keys === 'transfer' ? caller.id : null;
        await changeInTurn(services, { accountId: caller.accountId, signal }, () =>
          changeRole(db, actor, caller, { userId, role, successor }),
        );
        set.status = 204;
      },
      changeMemberDocs,
    )
    .delete(
      '/:id',
      async ({ actor, caller, params, query, request: { signal }, set }) => {
        const { id: userId } = checkQuery(memberParams, params);
        const { keys = 'deactivate' } = checkQuery(removalQuery, query);
        const successor = keys === 'transfer' ? caller.id : null;
        await changeInTurn(services, { accountId: caller.accountId, signal }, () =>
          removeMember(db, actor, caller, { userId, successor }),
        );
        set.status = 204;
      },
      removeMemberDocs,
    );
}
