/** `gateway mail resend`: sends a failed mail again. */

import { resendMail } from '../../../mail/queue/resend-mail.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { readId } from '../accounts/name-account.ts';

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
