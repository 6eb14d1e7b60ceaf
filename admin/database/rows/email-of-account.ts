/** Where mails of an account go. */
import { asc, eq } from 'drizzle-orm';
import type { DbOrTransaction } from '../connect.ts';
import { users } from '../tables/accounts.ts';

/** Undefined for a deleted account. */
export async function emailOfAccount(db: DbOrTransaction, accountId: number): Promise<string | undefined> {
  const [user] = await db
    .select({ email: users.email, deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.accountId, accountId))
    .orderBy(asc(users.id))
    .limit(1);
  return user === undefined || user.deletedAt !== null ? undefined : user.email;
}
