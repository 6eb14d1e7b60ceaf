/** The documentation of the running gateway for operators. */
import { Type } from '@sinclair/typebox';
import { operatorsOnly } from '../../auth/require-operator.ts';
import { redisUnreadable } from '../../database/unavailable.ts';
import { mailNotFound, notResendable } from '../../mail/queue/queue-mail.ts';
import { describe } from '../docs/describe.ts';
import { auditQuery, auditSchema, healthSchema, lagSchema, mailSchema, mailsQuery } from './operations-schemas.ts';
import { idParams } from './operator-schemas.ts';

const common = { tag: 'Operators', security: 'accessToken' } as const;
const now = '2030-01-01T12:00:00.000Z';

export const getHealthDocs = describe({
  ...common,
  id: 'getHealth',
  summary: 'Health of the deployments',
  description:
    'The health of the deployments of each model, as each running proxy has observed it in its own requests.',
  response: {
    status: 200,
    description: 'The deployments by proxy.',
    schema: healthSchema,
    example: {
      replicas: [
        {
          replica: 'proxy-7f9c',
          writtenAt: now,
          deployments: [
            {
              deployment: 'openai/gpt-4o-mini-2024-07-18',
              state: 'closed',
              requests: 1204,
              failures: 3,
              meanLatencyMs: 412,
              lastFailure: { reason: 'status 503', at: now },
              readyAt: null,
            },
          ],
        },
      ],
    } satisfies typeof healthSchema.static,
  },
  errors: [operatorsOnly(), redisUnreadable(undefined)],
});

export const getLagDocs = describe({
  ...common,
  id: 'getLag',
  summary: 'Pending work',
  description: 'The queues between the programs. In normal operation each is empty again within seconds.',
  response: {
    status: 200,
    description: 'The queues.',
    schema: lagSchema,
    example: {
      usage: { entries: 2, oldestAt: now, shards: [{ shard: 17, entries: 2, oldestAt: now }] },
      outbox: { entries: 0, oldestAt: null },
      mails: { entries: 0, oldestAt: null },
      failedMails: 0,
      rejectedUsage: 0,
    } satisfies typeof lagSchema.static,
  },
  errors: [operatorsOnly(), redisUnreadable(undefined)],
});

export const listMailsDocs = describe({
  ...common,
  id: 'listMails',
  summary: 'E-mails',
  description: 'The e-mails to customers and whether they were delivered, newest first. Their content is never shown.',
  query: mailsQuery,
  response: {
    status: 200,
    description: 'A page of e-mails.',
    schema: Type.Object({ mails: Type.Array(mailSchema, { description: 'The e-mails, newest first.' }) }),
    example: {
      mails: [
        {
          id: 4,
          kind: 'low_balance',
          language: 'en',
          recipient: 'ada@example.com',
          state: 'failed',
          attempts: 12,
          nextAttemptAt: now,
          giveUpAt: now,
          lastError: '550 5.1.1 No such user',
          response: null,
          createdAt: now,
          sentAt: null,
        } satisfies typeof mailSchema.static,
      ],
    },
  },
  errors: [operatorsOnly()],
});

export const resendMailDocs = describe({
  ...common,
  id: 'resendMail',
  summary: 'Send a failed e-mail again',
  description: 'Queues an undelivered e-mail again, for another three days or until the link in it expires.',
  params: idParams('a mail'),
  response: { status: 204, description: 'The e-mail is queued again.' },
  errors: [operatorsOnly(), mailNotFound(4), notResendable(4, 'sent')],
});

export const listAuditDocs = describe({
  ...common,
  id: 'listAudit',
  summary: 'Audit log',
  description: 'What operators did through this API or the command line, newest first. Entries cannot be changed.',
  query: auditQuery,
  response: {
    status: 200,
    description: 'A page of the log.',
    schema: Type.Object({ entries: Type.Array(auditSchema, { description: 'The entries, newest first.' }) }),
    example: {
      entries: [
        {
          id: 9,
          at: now,
          actor: 'operator@example.com',
          userId: 2,
          address: '203.0.113.7',
          requestId: '01945b2e-7c1a-7d3e-8f10-2b3c4d5e6f70',
          action: 'account.block',
          subject: 'account 17',
          accountId: 17,
          reason: 'Chargeback of invoice 17',
          before: { blockedAt: null },
          after: { blockedAt: now },
        } satisfies typeof auditSchema.static,
      ],
    },
  },
  errors: [operatorsOnly()],
});
