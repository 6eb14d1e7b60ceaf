/** `gateway user reset-password`: gives a user who cannot get in another password. */

import { PasswordHasher } from '../../../auth/passwords/password-hasher.ts';
import { checkPassword } from '../../../auth/passwords/password-rules.ts';
import { setPassword } from '../../../auth/passwords/set-password.ts';
import { readSettings } from '../../../notifications/settings.ts';
import { commandActor } from '../../../operations/audit/command-actor.ts';
import { recordAction } from '../../../operations/audit/record-action.ts';
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { findNamedUser, userArguments } from './name-user.ts';
import { passwordArgument, readPassword } from './read-password.ts';
import { showUser } from './show-user.ts';

export const userResetPassword = command({
  description: 'Give a user a new password and end their sessions',
  args: { ...userArguments, ...passwordArgument },
  run: ({ password: given, ...named }) =>
    withDatabase(async ({ db }) => {
      const user = await findNamedUser(db, named);
      const password = await readPassword(given);
      checkPassword(password, { email: user.email, param: 'password' });
      const passwordHash = await new PasswordHasher().hash(password);
      await db.transaction(async (transaction) => {
        const { language } = await readSettings(transaction, user.accountId);
        await setPassword(transaction, { user, passwordHash, language });
        const { id, accountId } = user;
        await recordAction(transaction, commandActor(), {
          action: 'user.reset_password',
          subject: `user ${id}`,
          accountId,
        });
      });
      return showUser(user, 'The password is changed and every session has ended. A mail tells the user.');
    }),
});
