/** Refuses access to a blocked account. */
import { and, eq, isNotNull } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { accounts } from '../../shared/tables/accounts.ts';
import type { DbOrTransaction } from '../database/connect.ts';

/** Throws GatewayError `account_blocked`. */
export async function refuseBlocked(db: DbOrTransaction, accountId: number): Promise<void> {
  const blocked = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), isNotNull(accounts.blockedAt)));
  if (blocked.length > 0) throw accountBlocked();
}

export function accountBlocked(): GatewayError {
  return new GatewayError('account_blocked', "This account is blocked. Contact the gateway's support.");
}
