/** Locks the account that an operator is about to change. */
import { eq } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Transaction } from '../connect.ts';
import { accounts } from '../tables/accounts.ts';

export type Account = typeof accounts.$inferSelect;

/** Throws GatewayError `not_found`, about the parameter with which the caller named the account. */
export async function lockAccount(
  transaction: Transaction,
  accountId: number,
  param: 'id' | 'accountId' = 'accountId',
): Promise<Account> {
  const [account] = await transaction.select().from(accounts).where(eq(accounts.id, accountId)).for('no key update');
  if (account === undefined) throw accountNotFound(accountId, param);
  return account;
}

/** `param` is the request's parameter that names the account. */
export function accountNotFound(accountId: number, param: 'id' | 'accountId'): GatewayError {
  return new GatewayError('not_found', `There is no account ${accountId}.`, { param });
}
