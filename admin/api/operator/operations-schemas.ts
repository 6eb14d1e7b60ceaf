/** What operators see of the running gateway: deployments, queues, mails, and what other operators did. */
import { Type } from '@sinclair/typebox';
import { deploymentStates } from '../../../shared/health/deployment-health.ts';
import { languages } from '../../../shared/languages.ts';
import { mailKinds } from '../../database/tables/mails.ts';
import { auditActions } from '../../operations/audit/record-action.ts';
import { customer, deployment, uuid } from '../fields/example-values.ts';
import { rangeFields } from '../fields/range-query.ts';
import { count, integer, label, nullable, oneOf, text, timestamp } from '../fields/schemas.ts';
import { accountId, pageFields } from './operator-schemas.ts';

const actorMaxLength = 300;
export const mailIdExample = 4;
const mailStates = ['queued', 'sent', 'failed'] as const;

export const healthSchema = Type.Object(
  {
    replicas: Type.Array(
      Type.Object({
        replica: text('The name of a running proxy.', 'proxy-7f9c'),
        writtenAt: timestamp('When the proxy reported this. It does so every few seconds.'),
        deployments: Type.Array(
          Type.Object({
            deployment: text('The deployment, as `provider/model of the provider`.', deployment),
            state: oneOf(
              deploymentStates,
              'Whether requests are sent to it. `closed`: yes. `resting`: no, it has asked for a pause. `open`: no, after ' +
                'failures. `half_open`: one, to test whether it has recovered.',
              'closed',
            ),
            requests: count('How many requests were sent to it since the proxy started.', 1_204),
            failures: count('How many of them failed.', 3),
            meanLatencyMs: nullable(
              count(
                'Average milliseconds until a response begins, weighted towards recent requests. Null before the first.',
                412,
              ),
            ),
            lastFailure: nullable(
              Type.Object(
                { reason: text('Why the request failed.'), at: timestamp('When the request failed.') },
                {
                  description: 'The most recent failure; null if there was none.',
                  example: { reason: 'status 503', at: '2030-01-01T11:40:00.000Z' },
                },
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

const oldestAt = (example?: string) =>
  nullable(timestamp('When the oldest of them was queued; null if none is waiting.', example));
const queue = (description: string) =>
  Type.Object({ entries: count('How many entries are waiting.'), oldestAt: oldestAt() }, { description });

export const lagSchema = Type.Object(
  {
    usage: Type.Object(
      {
        entries: count('How many entries are waiting.', 2),
        oldestAt: oldestAt('2030-01-01T12:00:00.000Z'),
        shards: Type.Array(
          Type.Object({
            shard: integer('The number of the Redis shard.', 17),
            entries: count('How many charges of the shard are waiting.', 2),
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
    id: integer('The id of the e-mail, to send it again with.', mailIdExample),
    kind: oneOf(mailKinds, 'The kind of e-mail.', 'low_balance'),
    language: oneOf(languages, 'The language that the e-mail is written in.', 'en'),
    recipient: text('The e-mail address of the recipient.', customer.email),
    state: oneOf(
      mailStates,
      'Whether the e-mail is waiting (`queued`), accepted by the server, or undeliverable (`failed`).',
      'failed',
    ),
    attempts: count('How many delivery attempts were made.', 12),
    nextAttemptAt: timestamp('When the next attempt is due. Only meaningful in the state `queued`.'),
    giveUpAt: timestamp('When attempts end if none has succeeded by then.'),
    lastError: nullable(text('Why the last failed attempt failed; null if none did.', '550 5.1.1 No such user')),
    response: nullable(text('The reply of the mail server when it accepted the e-mail; null until then.')),
    createdAt: timestamp('When the e-mail was queued.', '2029-12-29T12:00:00.000Z'),
    sentAt: nullable(timestamp('When the mail server accepted the e-mail; null until then.')),
  },
  { title: 'Mail' },
);

export const auditQuery = Type.Object({
  actor: Type.Optional(
    label(actorMaxLength, 'Lists only actions by this actor, named as in the log, also as a member of an account.'),
  ),
  action: Type.Optional(oneOf(auditActions, 'Lists only actions of this kind.')),
  accountId: Type.Optional(accountId('Lists only actions on this account, those of its members included.')),
  ...rangeFields,
  ...pageFields,
});

const anything = (description: string, example: object) =>
  nullable(Type.Object({}, { additionalProperties: true, description, example }));

export const auditSchema = Type.Object(
  {
    id: integer('The id of the entry.', 9),
    at: timestamp('When it was done.'),
    actor: text(
      'The actor: an e-mail address, `cli:` and the system user who ran the command line, or `worker:catalogue` for a ' +
        'scheduled catalogue.',
      'operator@example.com',
    ),
    userId: nullable(integer('The id of the operator; null if it was not done through this API.', 2)),
    address: nullable(
      text("The operator's network address, or the name of the command line's host; null if unknown.", '203.0.113.7'),
    ),
    requestId: nullable(
      text('The `x-request-id` of the request that did it; null if it was not done through this API.', uuid),
    ),
    action: text('What was done, such as `account.block`.', 'account.block'),
    subject: text('The object of the action, such as `account 17`.', `account ${customer.accountId}`),
    accountId: nullable(integer('The id of the affected account; null if there is none.', customer.accountId)),
    reason: nullable(text('The reason that the operator gave; null if none was given.', 'Chargeback of invoice 17')),
    before: anything('The state before the change; null if there was none.', { blockedAt: null }),
    after: anything('The state after the change; null if nothing is left.', { blockedAt: '2030-01-01T12:00:00.000Z' }),
  },
  { title: 'AuditEntry' },
);
