/** The IP addresses from which all proxy keys of an organization may be used. A key may have a list of its own besides. */
import { eq } from 'drizzle-orm';
import type { Db, DbOrTransaction } from '../database/connect.ts';
import { refuseDeleted } from '../database/rows/account-state.ts';
import { organizationSettings } from '../database/tables/accounts.ts';
import { announceKeysOf } from '../keys/announce-key.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import { lockAsManager, type Manager } from './manager.ts';

/** Null if they may be used from anywhere. */
export async function readAllowList(db: DbOrTransaction, accountId: number): Promise<string[] | null> {
  const [settings] = await db
    .select({ allowedIps: organizationSettings.allowedIps })
    .from(organizationSettings)
    .where(eq(organizationSettings.accountId, accountId));
  return settings?.allowedIps ?? null;
}

/** In force once the outbox is delivered. `allowedIps` are canonical. Throws GatewayError `role_required`. */
export function changeAllowList(db: Db, actor: Actor, manager: Manager, allowedIps: string[] | null): Promise<void> {
  const { accountId } = manager;
  return db.transaction(async (transaction) => {
    await lockAsManager(transaction, manager, 'organization:manage');
    await refuseDeleted(transaction, accountId);
    const before = await readAllowList(transaction, accountId);
    if (Bun.deepEquals(before, allowedIps)) return;
    await transaction
      .insert(organizationSettings)
      .values({ accountId, allowedIps })
      .onConflictDoUpdate({ target: organizationSettings.accountId, set: { allowedIps } });
    await announceKeysOf(transaction, { accountId });
    await recordAction(transaction, actor, {
      action: 'organization.update',
      subject: `account ${accountId}`,
      accountId,
      before: { allowedIps: before },
      after: { allowedIps },
    });
  });
}
