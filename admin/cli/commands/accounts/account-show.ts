/** `gateway account show`: balance, limits, users, keys and the newest transactions of an account. */
import { command } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { accountArguments, findNamedAccount } from './name-account.ts';
import { showAccount } from './show-account.ts';

export const accountShow = command({
  description: 'Show an account',
  args: accountArguments,
  run: (named) => withDatabase(async (database) => showAccount(database, await findNamedAccount(database, named))),
});
