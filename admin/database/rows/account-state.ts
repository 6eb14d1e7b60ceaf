/** What an account may not do in its state: unproven, blocked or deleted. */
import { and, eq, isNotNull } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { DbOrTransaction } from '../connect.ts';
import { accounts } from '../tables/accounts.ts';

/**
 * Whether the e-mail address of an account was never verified, so that it may be a stranger's: the proxy refuses the
 * account's keys, nothing can be ordered, and only links to verify the address are mailed.
 */
export async function isUnproven(db: DbOrTransaction, accountId: number): Promise<boolean> {
  const unproven = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), eq(accounts.ownership, 'unproven')));
  return unproven.length > 0;
}

/** Throws GatewayError `email_not_verified`. */
export async function refuseUnproven(db: DbOrTransaction, accountId: number): Promise<void> {
  if (await isUnproven(db, accountId)) throw addressUnverified();
}

/** Whether the person who knows the password is known to read the mail of the account's address. */
export async function isProven(db: DbOrTransaction, accountId: number): Promise<boolean> {
  const proven = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), eq(accounts.ownership, 'proven')));
  return proven.length > 0;
}

export function linkNotOpened(): GatewayError {
  return new GatewayError(
    'email_not_verified',
    'Request a new link to your e-mail address first, and open it where you are logged in.',
  );
}

export function addressUnverified(): GatewayError {
  return new GatewayError(
    'email_not_verified',
    'Verify your own e-mail address first, with the link that was mailed to it.',
  );
}

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
