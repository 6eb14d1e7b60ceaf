/** The user that an operator names by e-mail address. */
import { GatewayError } from '../../../../shared/errors.ts';
import type { User } from '../../../auth/create-user.ts';
import { findUserByEmail } from '../../../auth/find-user.ts';
import type { Database } from '../../../database/connect.ts';

/** Throws GatewayError `not_found`. */
export async function requireAccount({ db }: Database, email: string): Promise<User> {
  const user = await findUserByEmail(db, email);
  if (user === undefined) throw new GatewayError('not_found', `There is no user ${email}.`, { param: 'email' });
  return user;
}
