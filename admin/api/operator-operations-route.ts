/** /api/operator: the running gateway: deployments, queues, mails, any receipt, and what operators did. */
import { Elysia } from 'elysia';
import { GatewayError } from '../../shared/errors.ts';
import { readHealth } from '../../shared/health/deployment-health.ts';
import { checkQuery } from '../../shared/http/check-query.ts';
import { listAudit } from '../audit/list-audit.ts';
import { renderAudit } from '../audit/render-audit.ts';
import { requireOperator } from '../auth/require-operator.ts';
import { readReceipt } from '../ledger/read-receipt.ts';
import { listMails } from '../mail/list-mails.ts';
import { renderListedMail } from '../mail/render-listed-mail.ts';
import { resendMail } from '../mail/resend-mail.ts';
import { readLag } from '../operations/read-lag.ts';
import { renderHealth } from '../operations/render-health.ts';
import { renderLag } from '../operations/render-lag.ts';
import type { AdminServices } from '../services.ts';
import { getHealthDocs, getLagDocs, listAuditDocs, listMailsDocs, resendMailDocs } from './operator-operations-docs.ts';
import { auditQuery, mailsQuery } from './operator-operations-schemas.ts';
import { idParams, pageMax } from './operator-schemas.ts';
import { parseRange } from './range-query.ts';
import { renderOperatorReceipt } from './render-request.ts';
import { getOperatorRequestDocs } from './request-docs.ts';
import { requestParams } from './request-schemas.ts';
import { foundReceipt } from './requests-route.ts';

const retryAfterSeconds = 5;
const mailParams = idParams('a mail');

export function operatorOperationsRoute({ redis, ...services }: AdminServices) {
  const { db } = services.database;
  return new Elysia({ prefix: '/api/operator' })
    .use(requireOperator({ redis, ...services }))
    .get('/health', async () => renderHealth(await fromRedis(() => readHealth(redis, Date.now()))), getHealthDocs)
    .get('/lag', async () => renderLag(await fromRedis(() => readLag({ db, redis }))), getLagDocs)
    .get(
      '/requests/:requestId',
      async ({ params }) => {
        const { requestId } = checkQuery(requestParams, params);
        return renderOperatorReceipt(foundReceipt(await readReceipt(db, { requestId }), requestId));
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
        const found = await listAudit(db, { actor, action, accountId, beforeId, limit, ...parseRange({ from, to }) });
        return { entries: found.map(renderAudit) };
      },
      listAuditDocs,
    );
}

/** Throws GatewayError `wallet_unavailable`: what only Redis knows cannot be told without it. */
async function fromRedis<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    throw new GatewayError('wallet_unavailable', 'Redis cannot be read now.', { retryAfterSeconds, cause });
  }
}
