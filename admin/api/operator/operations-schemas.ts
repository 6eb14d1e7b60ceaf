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
                'failures. `half_open`: one, to see whether it has recovered.',
            ),
            requests: count('How many requests were sent to it since the proxy started.'),
            failures: count('How many of them failed.'),
            meanLatencyMs: nullable(
              count('Milliseconds until an answer begins, on average; recent ones weigh most. Null before the first.'),
            ),
            lastFailure: nullable(
              Type.Object(
                { reason: text('Why the request failed.'), at: timestamp('When the request failed.') },
                { description: 'The most recent failure; null if there was none.' },
              ),
            ),
            readyAt: nullable(timestamp('When requests are sent to it again; null if they are now.')),
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
  oldestAt: nullable(timestamp('Since when the oldest of them has been waiting; null if none is.')),
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
            oldestAt: timestamp('Since when the oldest of them has been waiting.'),
          }),
          { description: 'The same by shard. Shards where nothing is waiting are left out.' },
        ),
      },
      { description: 'Charges that are not in the ledger yet.' },
    ),
    outbox: queue('Credits and changes of keys that are not in Redis yet.'),
    mails: queue('E-mails that are still to be sent.'),
    failedMails: count('How many e-mails were given up. They can be sent again.'),
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
    kind: oneOf(mailKinds, 'What the e-mail is about.'),
    language: oneOf(languages, 'The language that the e-mail is written in.'),
    recipient: text('The address that the e-mail goes to.'),
    state: oneOf(
      mailStates,
      'Whether the e-mail is waiting (`queued`), accepted by the server, or given up (`failed`).',
    ),
    attempts: count('How often the e-mail was handed to the mail server.'),
    nextAttemptAt: timestamp('When the next attempt is due. Relevant only in the state `queued`.'),
    giveUpAt: timestamp('When the e-mail is given up if no attempt succeeds before.'),
    lastError: nullable(text('Why the last failed attempt failed; null if none did.')),
    response: nullable(text('What the mail server said when it accepted the e-mail; null until then.')),
    createdAt: timestamp('When the e-mail was queued.'),
    sentAt: nullable(timestamp('When the mail server accepted the e-mail; null until then.')),
  },
  { title: 'Mail' },
);

export const auditQuery = Type.Object({
  actor: Type.Optional(label(actorMaxLength, 'Lists only what this actor did, named as in the log.')),
  action: Type.Optional(oneOf(auditActions, 'Lists only actions of this kind.')),
  accountId: Type.Optional(accountId('Lists only what was done to this account.')),
  ...rangeFields,
  ...pageFields,
});

const anything = (description: string) => nullable(Type.Object({}, { additionalProperties: true, description }));

export const auditSchema = Type.Object(
  {
    id: integer('The id of the entry.'),
    at: timestamp('When it was done.'),
    actor: text(
      'Who did it: an e-mail address, `cli:` and the system user who ran the command line, or `worker:catalogue` for a ' +
        'scheduled catalogue.',
    ),
    userId: nullable(integer('The id of the operator; null if it was not done through this API.')),
    address: nullable(text("The operator's network address, or the name of the command line's host; null if unknown.")),
    requestId: nullable(
      text('The `x-request-id` of the request that did it; null if it was not done through this API.'),
    ),
    action: text('What was done, such as `account.block`.'),
    subject: text('What it was done to, such as `account 17`.'),
    accountId: nullable(integer('The id of the account that it was done to; null if it concerns no account.')),
    reason: nullable(text('The reason that the operator gave; null if none was given.')),
    before: anything('What was changed, as it was before; null if there was nothing.'),
    after: anything('What was changed, as it was afterwards; null if nothing is left.'),
  },
  { title: 'AuditEntry' },
);
