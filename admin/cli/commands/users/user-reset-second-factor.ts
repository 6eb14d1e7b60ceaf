/** `gateway user reset-second-factor`: for a user who has lost their authenticator app, passkeys and recovery codes. */
import { resetFactors } from '../../../auth/second-factor/factors.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { findNamedUser, userArguments } from './name-user.ts';
import { showUser } from './user-show.ts';

export const userResetSecondFactor = command({
  description: 'Remove the second factors of a user who has lost them, and end their sessions',
  args: {
    ...userArguments,
    reason: { type: 'string', required: true, description: 'How you know that it is them, for the audit log' },
  },
  run: ({ reason, ...named }) =>
    withDatabase(async ({ db }) => {
      const user = await findNamedUser(db, named);
      await resetFactors(db, commandActor(), { user, reason });
      return showUser(
        user,
        'All second factors are removed and all sessions have ended. The user is notified by e-mail.',
      );
    }),
});
