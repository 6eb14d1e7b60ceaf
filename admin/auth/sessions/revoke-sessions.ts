/** Ends sessions, each with the key of its playground. Keys that were deleted are refused once the outbox is delivered. */
import { and, eq, isNull, ne, type SQL, sql } from 'drizzle-orm';
import type { Db, DbOrTransaction } from '../../database/connect.ts';
import { refreshTokens, users } from '../../database/tables/accounts.ts';
import { lockKeysOf } from '../../keys/find-key.ts';
import { deleteSessionKeys } from '../../keys/session-keys.ts';

export interface EndedSession {
  readonly accountId: number;
}

/** All sessions of a user or all but one, in the transaction that sets a new password. */
export async function revokeSessions(
  transaction: DbOrTransaction,
  { userId, exceptSessionId }: { userId: number; exceptSessionId?: string },
): Promise<void> {
  const [user] = await transaction.select({ accountId: users.accountId }).from(users).where(eq(users.id, userId));
  if (user === undefined) return;
  const others = exceptSessionId === undefined ? undefined : ne(refreshTokens.family, exceptSessionId);
  await revoke(transaction, user.accountId, and(eq(refreshTokens.userId, userId), others));
}

/** One session; undefined if it never was. One that has ended stays ended. */
export function revokeSession(db: Db, sessionId: string): Promise<EndedSession | undefined> {
  return db.transaction(async (transaction) => {
    const [owner] = await transaction
      .select({ accountId: users.accountId })
      .from(refreshTokens)
      .innerJoin(users, eq(users.id, refreshTokens.userId))
      .where(eq(refreshTokens.family, sessionId))
      .limit(1);
    if (owner !== undefined) await revoke(transaction, owner.accountId, eq(refreshTokens.family, sessionId));
    return owner;
  });
}

/**
 * Repeats until nothing is left: a concurrent rotation holds its row's lock, and its successor becomes visible only
 * after the statement has begun. Waits for keys that are being created.
 */
async function revoke(transaction: DbOrTransaction, accountId: number, which: SQL | undefined): Promise<void> {
  await lockKeysOf(transaction, accountId);
  const ended = new Set<string>();
  for (;;) {
    const rows = await transaction
      .update(refreshTokens)
      .set({ revokedAt: sql`now()` })
      .where(and(which, isNull(refreshTokens.revokedAt)))
      .returning({ family: refreshTokens.family });
    for (const { family } of rows) ended.add(family);
    if (rows.length === 0) break;
  }
  await deleteSessionKeys(transaction, { accountId, sessionIds: [...ended] });
}
