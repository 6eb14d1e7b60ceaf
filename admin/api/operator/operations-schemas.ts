/** What operators see of the running gateway: deployments, queues, mails, and what other operators did. */
import { Type } from '@sinclair/typebox';
import { deploymentStates } from '../../../shared/health/deployment-health.ts';
import { mailKinds, mailLanguages } from '../../../shared/tables/mails.ts';
import { auditActions } from '../../audit/record-action.ts';
import { rangeFields } from '../fields/range-query.ts';
import { label, nullable, oneOf, timestamp } from '../fields/schemas.ts';
import { accountId, pageFields } from './operator-schemas.ts';

const actorMaxLength = 300;
const count = Type.Integer({ minimum: 0 });
const state = oneOf(['queued', 'sent', 'failed'], 'queued, sent or failed');

export const healthSchema = Type.Object({
  replicas: Type.Array(
    Type.Object({
      replica: Type.String({ description: 'A running proxy.' }),
      writtenAt: timestamp,
      deployments: Type.Array(
        Type.Object({
          deployment: Type.String({ description: '`provider/model of the provider`.' }),
          state: oneOf(
            deploymentStates,
            'closed: asked; resting: has asked for a pause; open: not asked after failures; half_open: being probed',
          ),
          requests: count,
          failures: count,
          meanLatencyMs: nullable(count),
          lastFailure: nullable(Type.Object({ reason: Type.String(), at: timestamp })),
          readyAt: nullable(timestamp),
        }),
      ),
    }),
  ),
});

const queueFields = { entries: count, oldestAt: nullable(timestamp) };
const queue = (description: string) => Type.Object(queueFields, { description });

export const lagSchema = Type.Object({
  usage: Type.Object(
    {
      ...queueFields,
      shards: Type.Array(Type.Object({ shard: Type.Integer(), entries: count, oldestAt: timestamp })),
    },
    { description: 'Charges that the ledger does not have yet; shards without any are left out.' },
  ),
  outbox: queue('Credits and keys that Redis does not have yet.'),
  mails: queue('Mails that were not sent yet.'),
  failedMails: count,
  rejectedUsage: Type.Integer({ minimum: 0, description: 'Entries that could not be read; should be 0.' }),
});

export const mailsQuery = Type.Object({ state: Type.Optional(state), ...pageFields });

export const mailSchema = Type.Object({
  id: Type.Integer(),
  kind: oneOf(mailKinds, 'what the mail is about'),
  language: oneOf(mailLanguages, 'the language of the mail'),
  recipient: Type.String(),
  state,
  attempts: count,
  nextAttemptAt: timestamp,
  giveUpAt: timestamp,
  lastError: nullable(Type.String()),
  response: nullable(Type.String({ description: 'What the mail server said when it took it.' })),
  createdAt: timestamp,
  sentAt: nullable(timestamp),
});

const action = oneOf(auditActions, `one of ${auditActions.join(', ')}`);

export const auditQuery = Type.Object({
  actor: Type.Optional(label(actorMaxLength)),
  action: Type.Optional(action),
  accountId: Type.Optional(accountId),
  ...rangeFields,
  ...pageFields,
});

const anything = nullable(Type.Object({}, { additionalProperties: true }));

export const auditSchema = Type.Object({
  id: Type.Integer(),
  at: timestamp,
  actor: Type.String({ description: 'An e-mail address, or `cli:` and the system user who ran the command line.' }),
  userId: nullable(Type.Integer()),
  address: nullable(Type.String({ description: "The caller's address, or the name of the command line's host." })),
  requestId: nullable(Type.String()),
  action: Type.String(),
  subject: Type.String({ description: 'What it was done to.' }),
  accountId: nullable(Type.Integer()),
  reason: nullable(Type.String()),
  before: anything,
  after: anything,
});
