/** /api/invitations: who is invited to the organization, and the endpoints behind the mailed links. */
import { Elysia } from 'elysia';
import { checkValue } from '../../../shared/http/check-value.ts';
import { authenticateUser, authorized } from '../../auth/authorize.ts';
import { parseEmail } from '../../auth/email-address.ts';
import type { LoginProtection } from '../../auth/login-protection.ts';
import { accessTokens } from '../../auth/sessions/access-tokens.ts';
import { refreshCookie } from '../../auth/sessions/refresh-cookie.ts';
import { Throttle } from '../../auth/throttle/throttle.ts';
import { refuseUnproven } from '../../database/rows/account-state.ts';
import { callerAddress, sessionClient } from '../../http/request/caller-address.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { preferredLanguage } from '../../http/request/preferred-language.ts';
import { sameOriginOnly } from '../../http/request/same-origin.ts';
import { requestIdOf } from '../../http/response-headers.ts';
import { acceptInvitation, previewInvitation } from '../../organizations/accept-invitation.ts';
import {
  invitationNotFound,
  invite,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from '../../organizations/invitations.ts';
import type { AdminServices } from '../../services.ts';
import { makeSession } from '../auth/session.ts';
import { deliverDeactivationOf } from '../keys/deliver-key.ts';
import { countInvitation } from './invitation-limits.ts';
import {
  acceptInvitationDocs,
  inviteDocs,
  listInvitationsDocs,
  previewInvitationDocs,
  resendInvitationDocs,
  revokeInvitationDocs,
} from './organization-docs.ts';
import { acceptBody, invitationParams, inviteBody, previewQuery, renderInvitation } from './organization-schemas.ts';

export function invitationRoutes(services: AdminServices) {
  const { config, database, log, redis } = services;
  const { db } = database;
  const { publicUrl } = config;
  const throttle = new Throttle(redis, log);
  return new Elysia({ prefix: '/api/invitations' })
    .use(authorized(services))
    .get(
      '',
      async ({ caller }) => ({ invitations: (await listInvitations(db, caller.accountId)).map(renderInvitation) }),
      listInvitationsDocs,
    )
    .post(
      '',
      async ({ actor, body, caller, set }) => {
        const { email: text, role } = checkValue(inviteBody, body);
        const invitation = { email: parseEmail(text), role };
        // Nothing is mailed for it, so it counts for no one.
        await refuseUnproven(db, caller.accountId);
        await countInvitation(throttle, { accountId: caller.accountId, to: invitation.email });
        set.status = 201;
        return renderInvitation(await invite(db, actor, { sender: caller, invitation, publicUrl }));
      },
      inviteDocs,
    )
    .post(
      '/:id/resend',
      async ({ actor, caller, params }) => {
        const { id } = checkQuery(invitationParams, params);
        const { accountId } = caller;
        const invitation = (await listInvitations(db, accountId)).find((each) => each.id === id);
        if (invitation === undefined) throw invitationNotFound(id);
        await countInvitation(throttle, { accountId, to: invitation.email });
        return renderInvitation(await resendInvitation(db, actor, { sender: caller, id, publicUrl }));
      },
      resendInvitationDocs,
    )
    .delete(
      '/:id',
      async ({ actor, caller, params, set }) => {
        const { id } = checkQuery(invitationParams, params);
        await revokeInvitation(db, actor, { sender: caller, id });
        set.status = 204;
      },
      revokeInvitationDocs,
    );
}

/** For those who have the link. */
export function invitationLinkRoutes(services: AdminServices, { passwords }: LoginProtection) {
  const { config, database } = services;
  const { db } = database;
  return new Elysia({ prefix: '/api/invitations' })
    .use(accessTokens(config))
    .get('/preview', ({ query }) => previewInvitation(db, checkQuery(previewQuery, query).token), previewInvitationDocs)
    .use(sameOriginOnly(config.publicUrl))
    .post(
      '/accept',
      async ({ accessTokens, body, headers, request, server, set }) => {
        const { token, password, displayName } = checkValue(acceptBody, body);
        const { authorization } = headers;
        const caller = authorization ? await authenticateUser(services, accessTokens, authorization) : undefined;
        const { user, issued } = await acceptInvitation(
          { db, passwords },
          {
            ...{ token, caller, password },
            displayName: displayName?.trim() || null,
            language: preferredLanguage(headers['accept-language']),
            client: sessionClient({ request, server }, config),
            actor: { address: callerAddress({ request, server }, config), requestId: requestIdOf(set), isMember: true },
          },
        );
        if (caller !== undefined) await deliverDeactivationOf(services, caller.id);
        set.headers['set-cookie'] = refreshCookie(issued.refreshToken, config.publicUrl);
        return makeSession({ db, accessTokens }, user, issued);
      },
      acceptInvitationDocs,
    );
}
