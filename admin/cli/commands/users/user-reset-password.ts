/** `gateway user reset-password`: sets a new password for a user who cannot log in. */
import { PasswordHasher } from '../../../auth/passwords/password-hasher.ts';
import { checkPassword } from '../../../auth/passwords/password-rules.ts';
import { setPassword } from '../../../auth/passwords/set-password.ts';
import { readSettings } from '../../../database/rows/notification-settings.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { recordAction } from '../../../operations/audit/record-action.ts';
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { findNamedUser, userArguments } from './name-user.ts';
import { passwordArgument, readPassword } from './read-password.ts';
import { showUser } from './user-show.ts';

export const userResetPassword = command({
  description: 'Set a new password for a user and end their sessions',
  args: { ...userArguments, ...passwordArgument },
  run: ({ password: given, ...named }) =>
    withDatabase(async ({ db }) => {
      const user = await findNamedUser(db, named);
      const password = await readPassword(given);
      checkPassword(password, { email: user.email, param: 'password' });
      const passwordHash = await new PasswordHasher().hash(password);
      await db.transaction(async (transaction) => {
        const { language } = await readSettings(transaction, user.homeAccountId);
        await setPassword(transaction, { user, passwordHash, language });
        const { id, homeAccountId: accountId } = user;
        await recordAction(transaction, commandActor(), {
          action: 'user.reset_password',
          subject: `user ${id}`,
          accountId,
        });
      });
      return showUser(user, 'The password is changed and all sessions have ended. The user is notified by e-mail.');
    }),
});
