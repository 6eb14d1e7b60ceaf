/**
 * Blocks an account and lets it go again. Blocked, its proxy keys are refused as if they were deactivated, its billing
 * keys are refused, its sessions have ended and nobody can log in. Nothing is deleted; requests that run go on to their
 * end, because they are reserved and will be paid.
 */
import { eq } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { accounts, users } from '../../shared/tables/accounts.ts';
import { type Actor, recordAction } from '../audit/record-action.ts';
import { revokeSessions } from '../auth/sessions/revoke-sessions.ts';
import type { Db, Transaction } from '../database/connect.ts';
import { announceKeysOf } from '../keys/announce-key.ts';
import { lockAccount } from './lock-account.ts';

export interface BlockOrder {
  readonly accountId: number;
  readonly reason: string;
}

/**
 * Repeating it changes nothing. Its keys are out of force once the outbox is delivered. Throws GatewayError
 * `not_found`, and `access_denied` for the operator's own account: he could not let himself in again.
 */
export function blockAccount(db: Db | Transaction, actor: Actor, order: BlockOrder): Promise<void> {
  return setBlocked(db, actor, { ...order, blocked: true });
}

export function unblockAccount(db: Db | Transaction, actor: Actor, order: BlockOrder): Promise<void> {
  return setBlocked(db, actor, { ...order, blocked: false });
}

function setBlocked(
  db: Db | Transaction,
  actor: Actor,
  { accountId, reason, blocked }: BlockOrder & { readonly blocked: boolean },
): Promise<void> {
  return db.transaction(async (transaction) => {
    const account = await lockAccount(transaction, accountId);
    if ((account.blockedAt !== null) === blocked) return;
    const people = await findPeople(transaction, accountId);
    if (blocked && people.some(({ id }) => id === actor.userId)) {
      throw new GatewayError('access_denied', "You can't block your own account.");
    }
    const blockedAt = blocked ? new Date() : null;
    // Before the sessions end: one that begins meanwhile waits for this row and then finds it blocked.
    await transaction.update(accounts).set({ blockedAt }).where(eq(accounts.id, accountId));
    if (blocked) for (const { id } of people) await revokeSessions(transaction, { userId: id });
    await announceKeysOf(transaction, accountId);
    await recordAction(transaction, actor, {
      action: blocked ? 'account.block' : 'account.unblock',
      subject: `account ${accountId}`,
      accountId,
      reason,
      before: { blockedAt: account.blockedAt },
      after: { blockedAt },
    });
  });
}

function findPeople(transaction: Transaction, accountId: number): Promise<{ id: number }[]> {
  return transaction.select({ id: users.id }).from(users).where(eq(users.accountId, accountId));
}
