/** `gateway user promote` and `gateway user demote`: make a user an operator, or a customer again. */
import { setRole } from '../../../accounts/set-role.ts';
import type { User } from '../../../auth/create-user.ts';
import { commandActor, readReason } from '../../../operations/audit/command-actor.ts';
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { findNamedUser, userArguments } from './name-user.ts';
import { showUser } from './user-show.ts';

export const userPromote = roleCommand('operator', 'Make a user an operator');
export const userDemote = roleCommand('customer', 'Make an operator a customer again');

function roleCommand(role: User['role'], description: string) {
  return command({
    description,
    args: { ...userArguments, reason: { type: 'string', description: 'The reason, for the audit log' } },
    run: (args) => {
      const reason = args.reason === undefined ? undefined : readReason(args.reason);
      return withDatabase(async ({ db }) => {
        const { id: userId } = await findNamedUser(db, args);
        return showUser(await setRole(db, commandActor(), { userId, role, reason }), 'It is effective now.');
      });
    },
  });
}
