/**
 * `gateway mail list` shows the delivery of mails, never their content; `gateway mail resend` sends a failed one again.
 */
import { listMails, renderListedMail } from '../../../mail/queue/list-mails.ts';
import { resendMail } from '../../../mail/queue/queue-mail.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { command, UsageError } from '../../command.ts';
import { listOf } from '../../list.ts';
import { limitArgument, readLimit } from '../../list-arguments.ts';
import { withDatabase } from '../../with-database.ts';
import { readId } from '../accounts/name-account.ts';

const states = ['queued', 'sent', 'failed'] as const;

export const mailList = command({
  description: 'List e-mails, newest first',
  args: { state: { type: 'string', description: `Only this state: ${states.join(', ')}` }, ...limitArgument },
  run: (args) => {
    const state = states.find((known) => known === args.state);
    if (args.state !== undefined && state === undefined)
      throw new UsageError(`--state must be one of ${states.join(', ')}.`);
    const limit = readLimit(args.limit);
    return withDatabase(async ({ db }) => {
      const mails = (await listMails(db, { state, limit })).map(renderListedMail);
      const text = listOf(mails, {
        none: 'No mails.',
        columns: {
          MAIL: ({ id }) => id,
          STATE: ({ state }) => state,
          KIND: ({ kind }) => kind,
          RECIPIENT: ({ recipient }) => recipient,
          ATTEMPTS: ({ attempts }) => attempts,
          'LAST ERROR': ({ lastError }) => lastError,
        },
      });
      return { text, object: { mails } };
    });
  },
});

export const mailResend = command({
  description: 'Send a failed e-mail again',
  args: { id: { type: 'string', required: true, description: "The e-mail's id, as `mail list` shows it" } },
  run: (args) => {
    const mailId = readId(args.id, '--id');
    return withDatabase(async ({ db }) => {
      await resendMail(db, commandActor(), { mailId, now: new Date() });
      return { text: `The running admin will send e-mail ${mailId} soon.`, object: { id: mailId } };
    });
  },
});
