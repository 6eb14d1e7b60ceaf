/** `gateway mail list`: how mails went, never what they say. */
import { listMails, renderListedMail } from '../../../mail/queue/list-mails.ts';
import { command, UsageError } from '../../command.ts';
import { listOf } from '../../list.ts';
import { limitArgument, readLimit } from '../../list-arguments.ts';
import { withDatabase } from '../../with-database.ts';

const states = ['queued', 'sent', 'failed'] as const;

export const mailList = command({
  description: 'List mails, newest first',
  args: { state: { type: 'string', description: `Only those that are ${states.join(', ')}` }, ...limitArgument },
  run: (args) => {
    const state = states.find((known) => known === args.state);
    if (args.state !== undefined && state === undefined)
      throw new UsageError(`--state is one of ${states.join(', ')}.`);
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
