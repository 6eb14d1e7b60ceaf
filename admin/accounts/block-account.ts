/**
 * Blocks and unblocks an account. While it is blocked, its proxy keys are refused as if deactivated, its billing keys
 * are refused, its sessions have ended and no one can log in to it. Nothing is deleted. Requests in flight run to
 * completion, because their money is reserved and they will be paid.
 */
import { eq } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { revokeSessionsIn } from '../auth/sessions/revoke-sessions.ts';
import type { Db, Transaction } from '../database/connect.ts';
import { lockAccount } from '../database/rows/lock-account.ts';
import { accounts, memberships } from '../database/tables/accounts.ts';
import { announceKeysOf } from '../keys/announce-key.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';

export interface BlockInput {
  readonly accountId: number;
  readonly reason: string;
}

/**
 * Idempotent. The keys change once the outbox is delivered. Throws GatewayError `not_found`, and `access_denied` for
 * the operator's own account, because they could not unblock themselves.
 */
export function blockAccount(db: Db | Transaction, actor: Actor, input: BlockInput): Promise<void> {
  return setBlocked(db, actor, { ...input, blocked: true });
}

export function unblockAccount(db: Db | Transaction, actor: Actor, input: BlockInput): Promise<void> {
  return setBlocked(db, actor, { ...input, blocked: false });
}

function setBlocked(
  db: Db | Transaction,
  actor: Actor,
  { accountId, reason, blocked }: BlockInput & { readonly blocked: boolean },
): Promise<void> {
  return db.transaction(async (transaction) => {
    const account = await lockAccount(transaction, accountId);
    if ((account.blockedAt !== null) === blocked) return;
    const people = await findPeople(transaction, accountId);
    if (blocked && people.some(({ id }) => id === actor.userId)) {
      throw new GatewayError('access_denied', "You can't block your own account.");
    }
    const blockedAt = blocked ? new Date() : null;
    // Before the sessions end: a concurrent log-in waits for this row and then finds the account blocked.
    await transaction.update(accounts).set({ blockedAt }).where(eq(accounts.id, accountId));
    if (blocked) for (const { id } of people) await revokeSessionsIn(transaction, { userId: id, accountId });
    await announceKeysOf(transaction, { accountId });
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
  return transaction
    .select({ id: memberships.userId })
    .from(memberships)
    .where(eq(memberships.accountId, accountId))
    .orderBy(memberships.userId);
}
