/** `gateway user show`: one user. `account show` has their balance and keys. */
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { findNamedUser, userArguments } from './name-user.ts';
import { showUser } from './show-user.ts';

export const userShow = command({
  description: 'Show a user',
  args: userArguments,
  run: (named) => withDatabase(async ({ db }) => showUser(await findNamedUser(db, named))),
});
