/** Keeps what was under way when an account was deleted from writing anything about it down again. */
import { and, eq, isNotNull } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { accounts } from '../../shared/tables/accounts.ts';
import type { DbOrTransaction } from '../database/connect.ts';

/** Behind a lock that the deletion waits for, or has held. Throws GatewayError `invalid_token`. */
export async function refuseDeleted(transaction: DbOrTransaction, accountId: number): Promise<void> {
  const deleted = await transaction
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), isNotNull(accounts.deletedAt)));
  if (deleted.length > 0) throw accountDeleted();
}

export function accountDeleted(): GatewayError {
  return new GatewayError('invalid_token', 'This account was deleted.');
}
