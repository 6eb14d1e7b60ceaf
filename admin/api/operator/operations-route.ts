/** /api/operator: the running gateway: deployments, queues, mails, any receipt, and what operators did. */
import { Elysia } from 'elysia';
import { readHealth } from '../../../shared/health/deployment-health.ts';
import { authorized } from '../../auth/authorize.ts';
import { fromRedis } from '../../database/unavailable.ts';
import { checkQuery } from '../../http/request/check-query.ts';
import { listMails, renderListedMail } from '../../mail/queue/list-mails.ts';
import { resendMail } from '../../mail/queue/queue-mail.ts';
import { listAudit, renderAudit } from '../../operations/audit/list-audit.ts';
import { readLag } from '../../operations/read-lag.ts';
import { renderHealth } from '../../operations/render-health.ts';
import { renderLag } from '../../operations/render-lag.ts';
import type { AdminServices } from '../../services.ts';
import { parseRange } from '../fields/range-query.ts';
import { readReceiptInTurn } from '../money/read-receipt-in-turn.ts';
import { renderOperatorReceipt } from '../money/render-request.ts';
import { getOperatorRequestDocs } from '../money/requests-docs.ts';
import { requestParams } from '../money/requests-schemas.ts';
import { getHealthDocs, getLagDocs, listAuditDocs, listMailsDocs, resendMailDocs } from './operations-docs.ts';
import { auditQuery, mailsQuery } from './operations-schemas.ts';
import { idParams, pageMax } from './operator-schemas.ts';

const mailParams = idParams('a mail');

export function operatorOperationsRoute(services: AdminServices) {
  const { redis } = services;
  const { db } = services.database;
  return new Elysia({ prefix: '/api/operator' })
    .use(authorized(services))
    .get('/health', async () => renderHealth(await fromRedis(() => readHealth(redis, Date.now()))), getHealthDocs)
    .get('/lag', async () => renderLag(await fromRedis(() => readLag({ db, redis }))), getLagDocs)
    .get(
      '/requests/:requestId',
      async ({ caller: { homeAccountId: accountId }, params, request: { signal } }) => {
        const { requestId } = checkQuery(requestParams, params);
        return renderOperatorReceipt(await readReceiptInTurn(services, { accountId, signal }, { requestId }));
      },
      getOperatorRequestDocs,
    )
    .get(
      '/mails',
      async ({ query }) => {
        const { limit = pageMax, state, beforeId } = checkQuery(mailsQuery, query);
        return { mails: (await listMails(db, { state, beforeId, limit })).map(renderListedMail) };
      },
      listMailsDocs,
    )
    .post(
      '/mails/:id/resend',
      async ({ actor, params, set }) => {
        const { id: mailId } = checkQuery(mailParams, params);
        await resendMail(db, actor, { mailId, now: new Date() });
        set.status = 204;
      },
      resendMailDocs,
    )
    .get(
      '/audit',
      async ({ query }) => {
        const { limit = pageMax, actor, action, accountId, beforeId, from, to } = checkQuery(auditQuery, query);
        const isMember = accountId === undefined && actor === undefined ? false : undefined;
        const filter = { actor, action, accountId, isMember, beforeId, limit, ...parseRange({ from, to }) };
        const found = await listAudit(db, filter);
        return { entries: found.map(renderAudit) };
      },
      listAuditDocs,
    );
}
