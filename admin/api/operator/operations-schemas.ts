/** What operators see of the running gateway: deployments, queues, mails, and what other operators did. */
import { Type } from '@sinclair/typebox';
import { deploymentStates } from '../../../shared/health/deployment-health.ts';
import { languages } from '../../../shared/languages.ts';
import { mailKinds } from '../../database/tables/mails.ts';
import { auditActions } from '../../operations/audit/record-action.ts';
import { rangeFields } from '../fields/range-query.ts';
import { count, integer, label, nullable, oneOf, text, timestamp } from '../fields/schemas.ts';
import { accountId, pageFields } from './operator-schemas.ts';

const actorMaxLength = 300;
const mailStates = ['queued', 'sent', 'failed'] as const;

export const healthSchema = Type.Object(
  {
    replicas: Type.Array(
      Type.Object({
        replica: text('The name of a running proxy.'),
        writtenAt: timestamp('When the proxy reported this. It does so every few seconds.'),
        deployments: Type.Array(
          Type.Object({
            deployment: text('The deployment, as `provider/model of the provider`.'),
            state: oneOf(
              deploymentStates,
              'Whether requests are sent to it. `closed`: yes. `resting`: no, it has asked for a pause. `open`: no, after ' +
                'failures. `half_open`: one, to test whether it has recovered.',
            ),
            requests: count('How many requests were sent to it since the proxy started.'),
            failures: count('How many of them failed.'),
            meanLatencyMs: nullable(
              count(
                'Average milliseconds until a response begins, weighted towards recent requests. Null before the first.',
              ),
            ),
            lastFailure: nullable(
              Type.Object(
                { reason: text('Why the request failed.'), at: timestamp('When the request failed.') },
                { description: 'The most recent failure; null if there was none.' },
              ),
            ),
            readyAt: nullable(timestamp('When requests are sent to it again; null if they already are.')),
          }),
          { description: 'The deployments of the catalogue, as this proxy has observed them.' },
        ),
      }),
      { description: 'The proxies that have reported in the last 30 seconds.' },
    ),
  },
  { title: 'Health' },
);

const queueFields = {
  entries: count('How many entries are waiting.'),
  oldestAt: nullable(timestamp('When the oldest of them was queued; null if none is waiting.')),
};
const queue = (description: string) => Type.Object(queueFields, { description });

export const lagSchema = Type.Object(
  {
    usage: Type.Object(
      {
        ...queueFields,
        shards: Type.Array(
          Type.Object({
            shard: integer('The number of the Redis shard.'),
            entries: count('How many charges of the shard are waiting.'),
            oldestAt: timestamp('When the oldest of them was queued.'),
          }),
          { description: 'The same by shard. Shards where nothing is waiting are left out.' },
        ),
      },
      { description: 'Charges that are not in the ledger yet.' },
    ),
    outbox: queue('Credits and changes of keys that are not in Redis yet.'),
    mails: queue('E-mails that are still to be sent.'),
    failedMails: count('How many e-mails could not be delivered. They can be sent again.'),
    rejectedUsage: count('How many charges could not be read and are kept for inspection. It should be 0.'),
  },
  { title: 'Lag' },
);

export const mailsQuery = Type.Object({
  state: Type.Optional(oneOf(mailStates, 'Lists only e-mails in this state. Without it, all.')),
  ...pageFields,
});

export const mailSchema = Type.Object(
  {
    id: integer('The id of the e-mail, to send it again with.'),
    kind: oneOf(mailKinds, 'The kind of e-mail.'),
    language: oneOf(languages, 'The language that the e-mail is written in.'),
    recipient: text('The e-mail address of the recipient.'),
    state: oneOf(
      mailStates,
      'Whether the e-mail is waiting (`queued`), accepted by the server, or undeliverable (`failed`).',
    ),
    attempts: count('How many delivery attempts were made.'),
    nextAttemptAt: timestamp('When the next attempt is due. Only meaningful in the state `queued`.'),
    giveUpAt: timestamp('When attempts end if none has succeeded by then.'),
    lastError: nullable(text('Why the last failed attempt failed; null if none did.')),
    response: nullable(text('The reply of the mail server when it accepted the e-mail; null until then.')),
    createdAt: timestamp('When the e-mail was queued.'),
    sentAt: nullable(timestamp('When the mail server accepted the e-mail; null until then.')),
  },
  { title: 'Mail' },
);

export const auditQuery = Type.Object({
  actor: Type.Optional(label(actorMaxLength, 'Lists only actions by this actor, named as in the log.')),
  action: Type.Optional(oneOf(auditActions, 'Lists only actions of this kind.')),
  accountId: Type.Optional(accountId('Lists only actions on this account.')),
  ...rangeFields,
  ...pageFields,
});

const anything = (description: string) => nullable(Type.Object({}, { additionalProperties: true, description }));

export const auditSchema = Type.Object(
  {
    id: integer('The id of the entry.'),
    at: timestamp('When it was done.'),
    actor: text(
      'The actor: an e-mail address, `cli:` and the system user who ran the command line, or `worker:catalogue` for a ' +
        'scheduled catalogue.',
    ),
    userId: nullable(integer('The id of the operator; null if it was not done through this API.')),
    address: nullable(text("The operator's network address, or the name of the command line's host; null if unknown.")),
    requestId: nullable(
      text('The `x-request-id` of the request that did it; null if it was not done through this API.'),
    ),
    action: text('What was done, such as `account.block`.'),
    subject: text('The object of the action, such as `account 17`.'),
    accountId: nullable(integer('The id of the affected account; null if there is none.')),
    reason: nullable(text('The reason that the operator gave; null if none was given.')),
    before: anything('The state before the change; null if there was none.'),
    after: anything('The state after the change; null if nothing is left.'),
  },
  { title: 'AuditEntry' },
);
