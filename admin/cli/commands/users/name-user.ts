/** The user that an operator names, by id or by e-mail address. */
import { GatewayError } from '../../../../shared/errors.ts';
import type { User } from '../../../auth/create-user.ts';
import { findUserByEmail, findUserById } from '../../../auth/find-user.ts';
import type { DbOrTransaction } from '../../../database/connect.ts';
import { UsageError } from '../../command.ts';
import { readId } from '../accounts/name-account.ts';

export const userArguments = {
  email: { type: 'string', description: "The user's e-mail address" },
  id: { type: 'string', description: "Or the user's id, as `user list` shows it" },
} as const;

export interface NamedUser {
  readonly email?: string | undefined;
  readonly id?: string | undefined;
}

/** Throws UsageError unless exactly one of them is given, and GatewayError `not_found`. */
export async function findNamedUser(db: DbOrTransaction, { email, id }: NamedUser): Promise<User> {
  if (email !== undefined && id !== undefined) throw new UsageError('Give --email or --id, not both.');
  if (email !== undefined) return found(await findUserByEmail(db, email), { name: email, param: 'email' });
  if (id === undefined) throw new UsageError('Give --email or --id.');
  return found(await findUserById(db, readId(id, '--id')), { name: id, param: 'id' });
}

function found(user: User | undefined, { name, param }: { name: string; param: string }): User {
  if (user === undefined) throw new GatewayError('not_found', `There is no user ${name}.`, { param });
  return user;
}
