/** The documentation of the running gateway for operators. */
import { Type } from '@sinclair/typebox';
import { redisUnreadable } from '../../database/unavailable.ts';
import { mailNotFound, notResendable } from '../../mail/queue/queue-mail.ts';
import { describe } from '../docs/describe.ts';
import {
  auditQuery,
  auditSchema,
  healthSchema,
  lagSchema,
  mailIdExample,
  mailSchema,
  mailsQuery,
} from './operations-schemas.ts';
import { idParams } from './operator-schemas.ts';

const common = { tag: 'Operators', permission: 'operator' } as const;

export const getHealthDocs = describe({
  ...common,
  id: 'getHealth',
  summary: 'Health of the deployments',
  description:
    'The health of the deployments of each model, as each running proxy has observed it in its own requests.',
  response: { description: 'The deployments by proxy.', schema: healthSchema },
  errors: [redisUnreadable(undefined)],
});

export const getLagDocs = describe({
  ...common,
  id: 'getLag',
  summary: 'Pending work',
  description: 'The queues between the programs. In normal operation each is empty again within seconds.',
  response: { description: 'The queues.', schema: lagSchema },
  errors: [redisUnreadable(undefined)],
});

export const listMailsDocs = describe({
  ...common,
  id: 'listMails',
  summary: 'E-mails',
  description: 'The e-mails to customers and whether they were delivered, newest first. Their content is never shown.',
  query: mailsQuery,
  response: {
    description: 'A page of e-mails.',
    schema: Type.Object({ mails: Type.Array(mailSchema, { description: 'The e-mails, newest first.' }) }),
  },
});

export const resendMailDocs = describe({
  ...common,
  id: 'resendMail',
  summary: 'Send a failed e-mail again',
  description: 'Queues an undelivered e-mail again, for another three days or until the link in it expires.',
  params: idParams('a mail'),
  response: { status: 204, description: 'The e-mail is queued again.' },
  errors: [mailNotFound(mailIdExample), notResendable(mailIdExample, 'sent')],
});

export const listAuditDocs = describe({
  ...common,
  id: 'listAudit',
  summary: 'Audit log',
  description: 'What operators did through this API or the command line, newest first. Entries cannot be changed.',
  query: auditQuery,
  response: {
    description: 'A page of the log.',
    schema: Type.Object({ entries: Type.Array(auditSchema, { description: 'The entries, newest first.' }) }),
  },
});
