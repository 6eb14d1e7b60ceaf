/** The organization that a new session is in: the one that its user was in last, or their home, or any other. */
import { sql } from 'drizzle-orm';
import type { DbOrTransaction } from '../../database/connect.ts';
import { accountBlocked } from '../../database/rows/account-state.ts';

/** Throws GatewayError `account_blocked` if all of the user's organizations are. */
export async function chooseOrganization(db: DbOrTransaction, { id }: { readonly id: number }): Promise<number> {
  const [chosen] = await db.execute<{ id: string }>(sql`
    SELECT accounts.id FROM users
      JOIN memberships ON memberships.user_id = users.id
      JOIN accounts ON accounts.id = memberships.account_id
    WHERE users.id = ${id} AND blocked_at IS NULL AND accounts.deleted_at IS NULL
    ORDER BY accounts.id IS NOT DISTINCT FROM users.last_account_id DESC, accounts.id = users.account_id DESC,
      memberships.created_at, accounts.id
    LIMIT 1`);
  if (chosen === undefined) throw accountBlocked();
  return Number(chosen.id);
}
