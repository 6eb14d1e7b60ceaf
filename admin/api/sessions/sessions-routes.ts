/** /api/profile/sessions: where the user is logged in, and how to end that. */
import { Elysia } from 'elysia';
import { authorized } from '../../auth/authorize.ts';
import { listSessions, refuseForeignSession } from '../../auth/sessions/list-sessions.ts';
import { expiredRefreshCookie } from '../../auth/sessions/refresh-cookie.ts';
import { revokeSession, revokeSessions } from '../../auth/sessions/revoke-sessions.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import type { AdminServices } from '../../services.ts';
import { deliverDeactivation, deliverDeactivationOf } from '../keys/deliver-key.ts';
import { endSessionDocs, endSessionsDocs, listSessionsDocs } from './sessions-docs.ts';
import { endSessionsQuery, renderSession, sessionParams } from './sessions-schemas.ts';

export function sessionListRoutes(services: AdminServices) {
  const { config, database } = services;
  const { db } = database;
  return new Elysia({ prefix: '/api/profile/sessions' })
    .use(authorized(services))
    .get(
      '',
      async ({ caller }) => ({
        sessions: (await listSessions(db, caller.id)).map((session) => renderSession(session, caller.sessionId)),
      }),
      listSessionsDocs,
    )
    .delete(
      '',
      async ({ caller, query, set }) => {
        const keepsCurrent = checkQuery(endSessionsQuery, query).keepCurrent === 'true';
        await db.transaction((transaction) =>
          revokeSessions(transaction, {
            userId: caller.id,
            ...(keepsCurrent && { exceptSessionId: caller.sessionId }),
          }),
        );
        await deliverDeactivationOf(services, caller.id);
        set.status = 204;
        if (!keepsCurrent) set.headers['set-cookie'] = expiredRefreshCookie(config.publicUrl);
      },
      endSessionsDocs,
    )
    .delete(
      '/:sessionId',
      async ({ caller, params, set }) => {
        const { sessionId } = checkQuery(sessionParams, params);
        await refuseForeignSession(db, { sessionId, userId: caller.id });
        const ended = await revokeSession(db, sessionId);
        if (ended !== undefined) await deliverDeactivation(services, ended.accountId);
        set.status = 204;
      },
      endSessionDocs,
    );
}
