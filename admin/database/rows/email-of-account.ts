/** Where mails of an account go. */
import { eq } from 'drizzle-orm';
import type { DbOrTransaction } from '../connect.ts';
import { organizations } from '../tables/accounts.ts';

/** Undefined for a deleted account. */
export async function emailOfAccount(db: DbOrTransaction, accountId: number): Promise<string | undefined> {
  const [account] = await db
    .select({ email: organizations.contactEmail })
    .from(organizations)
    .where(eq(organizations.id, accountId));
  return account?.email ?? undefined;
}
