/** `gateway user show`: one user, as every command shows them. `account show` has their balance and keys. */
import { renderUser } from '../../../api/operator/render-account.ts';
import type { User } from '../../../auth/create-user.ts';
import { command, type Outcome } from '../../command.ts';
import { withDatabase } from '../../with-database.ts';
import { findNamedUser, userArguments } from './name-user.ts';

export const userShow = command({
  description: 'Show a user',
  args: userArguments,
  run: (named) => withDatabase(async ({ db }) => showUser(await findNamedUser(db, named))),
});

export const describeUser = (user: User) => ({ ...renderUser(user), accountId: user.homeAccountId });

/** `before` is printed first. */
export function showUser(user: User, before?: string): Outcome {
  const shown = describeUser(user);
  const lines = [
    `User ${shown.id} of account ${shown.accountId}, ${shown.role}`,
    `E-mail     ${shown.email}${shown.emailVerified ? '' : ' (not verified)'}`,
    `Name       ${shown.displayName ?? 'none'}`,
    `Created    ${shown.createdAt}`,
  ];
  return { text: (before === undefined ? lines : [before, '', ...lines]).join('\n'), object: shown };
}
