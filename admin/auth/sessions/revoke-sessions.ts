/** Ends the sessions of a user, in the transaction that sets a new password. */
import { and, eq, isNull, ne, sql } from 'drizzle-orm';
import { refreshTokens } from '../../../shared/tables/accounts.ts';
import type { DbOrTransaction } from '../../database/connect.ts';

/**
 * All of them, or all but one. Repeats until nothing is left: the successor of a token that is being used concurrently
 * becomes visible only after the statement has begun.
 */
export async function revokeSessions(
  transaction: DbOrTransaction,
  { userId, exceptSessionId }: { userId: number; exceptSessionId?: string },
): Promise<void> {
  const living = and(
    eq(refreshTokens.userId, userId),
    isNull(refreshTokens.revokedAt),
    exceptSessionId === undefined ? undefined : ne(refreshTokens.family, exceptSessionId),
  );
  let revoked: number;
  do {
    const rows = await transaction
      .update(refreshTokens)
      .set({ revokedAt: sql`now()` })
      .where(living)
      .returning({ id: refreshTokens.id });
    revoked = rows.length;
  } while (revoked > 0);
}
