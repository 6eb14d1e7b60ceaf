/** `gateway user list`: who can log in. */
import { listUsers } from '../../../auth/list-users.ts';
import { command } from '../../command.ts';
import { listOf } from '../../list.ts';
import { limitArgument, readLimit } from '../../list-arguments.ts';
import { withDatabase } from '../../with-database.ts';
import { describeUser } from './user-show.ts';

export const userList = command({
  description: 'List users, newest first',
  args: {
    text: { type: 'positional', required: false, description: 'Part of the e-mail address or the name' },
    operators: { type: 'boolean', description: 'Only operators' },
    ...limitArgument,
  },
  run: ({ text, operators, ...args }) => {
    const search = { text: text?.trim() || undefined, role: operators ? ('operator' as const) : undefined };
    const limit = readLimit(args.limit);
    return withDatabase(async ({ db }) => {
      const users = (await listUsers(db, { ...search, limit })).map(describeUser);
      const text = listOf(users, {
        none: 'No user matches.',
        columns: {
          USER: ({ id }) => id,
          ACCOUNT: ({ accountId }) => accountId,
          EMAIL: ({ email }) => email,
          VERIFIED: ({ emailVerified }) => (emailVerified ? 'yes' : 'no'),
          ROLE: ({ role }) => role,
          NAME: ({ displayName }) => displayName,
        },
      });
      return { text, object: { users } };
    });
  },
});
