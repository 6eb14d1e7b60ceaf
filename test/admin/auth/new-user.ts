/** A customer's user as the functions of log-in and sessions expect it. */
import { findUserById } from '../../../admin/auth/find-user.ts';
import type { Harness } from '../../harness.ts';

export async function newUser(harness: Harness) {
  const { userId } = await harness.createCustomer({ usd: '0' });
  const user = await findUserById(harness.database.db, userId);
  if (user === undefined) throw new Error('no user');
  return user;
}
