/** Whether the proxy refuses the keys of an account because its e-mail address was never verified. */
import { and, eq } from 'drizzle-orm';
import { accounts } from '../../shared/tables/accounts.ts';
import type { DbOrTransaction } from '../database/connect.ts';

export async function isUnproven(db: DbOrTransaction, accountId: number): Promise<boolean> {
  const unproven = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), eq(accounts.ownership, 'unproven')));
  return unproven.length > 0;
}
