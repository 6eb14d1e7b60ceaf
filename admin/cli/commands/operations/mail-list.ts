/** `gateway mail list`: the delivery of mails, never their content. */
import { listMails, renderListedMail } from '../../../mail/queue/list-mails.ts';
import { command, UsageError } from '../../command.ts';
import { listOf } from '../../list.ts';
import { limitArgument, readLimit } from '../../list-arguments.ts';
import { withDatabase } from '../../with-database.ts';

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
