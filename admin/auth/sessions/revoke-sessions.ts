/** Ends sessions, each with the key of its playground. Keys that were deleted are refused once the outbox is delivered. */
import { and, desc, eq, isNull, ne, type SQL, sql } from 'drizzle-orm';
import type { Db, DbOrTransaction, Transaction } from '../../database/connect.ts';
import { memberships, refreshTokens, users } from '../../database/tables/accounts.ts';
import { lockKeysOf } from '../../keys/find-key.ts';
import { deleteSessionKeys } from '../../keys/session-keys.ts';

export interface EndedSession {
  readonly accountId: number;
  /** The organization at whose identity provider it began. */
  readonly oidcAccountId: number | null;
}

/** The account of the organization that a session is in. */
const accountOfSession = sql<number>`coalesce(${refreshTokens.accountId}, ${users.homeAccountId})`.mapWith(Number);

/** All sessions of a user or all but one, in the transaction that sets a new password. */
export async function revokeSessions(
  transaction: DbOrTransaction,
  { userId, exceptSessionId }: { userId: number; exceptSessionId?: string },
): Promise<void> {
  const others = exceptSessionId === undefined ? undefined : ne(refreshTokens.family, exceptSessionId);
  const joined = await transaction
    .select({ accountId: memberships.accountId })
    .from(memberships)
    .where(eq(memberships.userId, userId))
    .orderBy(memberships.accountId);
  await revoke(
    transaction,
    joined.map(({ accountId }) => accountId),
    and(eq(refreshTokens.userId, userId), others),
  );
}

/** Those of a user in one organization. */
export async function revokeSessionsIn(
  transaction: DbOrTransaction,
  { userId, accountId }: { userId: number; accountId: number },
): Promise<void> {
  const home = transaction.select({ id: users.homeAccountId }).from(users).where(eq(users.id, userId));
  const isIn = sql`coalesce(${refreshTokens.accountId}, (${home})) = ${accountId}`;
  await revoke(transaction, [accountId], and(eq(refreshTokens.userId, userId), isIn));
}

/** One session; undefined if it never was. One that has ended stays ended, and `ended` says that this call did it. */
export function revokeSession(
  db: Db | Transaction,
  sessionId: string,
): Promise<(EndedSession & { readonly ended: boolean }) | undefined> {
  return db.transaction(async (transaction) => {
    const [session] = await transaction
      .select({ accountId: accountOfSession, oidcAccountId: refreshTokens.oidcAccountId })
      .from(refreshTokens)
      .innerJoin(users, eq(users.id, refreshTokens.userId))
      .where(eq(refreshTokens.family, sessionId))
      .orderBy(desc(refreshTokens.id))
      .limit(1);
    if (session === undefined) return undefined;
    const ended = await revoke(transaction, [session.accountId], eq(refreshTokens.family, sessionId));
    return { ...session, ended: ended > 0 };
  });
}

/**
 * Repeats until nothing is left: a concurrent rotation holds its row's lock, and its successor becomes visible only
 * after the statement has begun. Waits for keys that are being created in the accounts, of which the smallest is first. Returns how
 * many sessions have ended.
 */
async function revoke(
  transaction: DbOrTransaction,
  accountIds: readonly number[],
  which: SQL | undefined,
): Promise<number> {
  for (const accountId of accountIds) await lockKeysOf(transaction, accountId);
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
  for (const accountId of accountIds) await deleteSessionKeys(transaction, { accountId, sessionIds: [...ended] });
  return ended.size;
}
