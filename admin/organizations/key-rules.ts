/**
 * The rules of an organization for all its proxy keys: from which IP addresses they may be used, and which providers may see
 * their requests. A key may have rules of its own besides.
 */
import { eq } from 'drizzle-orm';
import type { DataPolicy } from '../../shared/keys/data-policy.ts';
import type { Db, DbOrTransaction } from '../database/connect.ts';
import { refuseDeleted } from '../database/rows/account-state.ts';
import { organizationSettings } from '../database/tables/accounts.ts';
import { announceKeysOf } from '../keys/announce-key.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import { lockAsManager, type Manager } from './manager.ts';

/** In their canonical form; null where there is no restriction. */
export interface OrganizationRules {
  readonly allowedIps: string[] | null;
  readonly dataPolicy: DataPolicy | null;
}

const noRules: OrganizationRules = { allowedIps: null, dataPolicy: null };

export async function readOrganizationRules(db: DbOrTransaction, accountId: number): Promise<OrganizationRules> {
  const { allowedIps, dataPolicy } = organizationSettings;
  const [rules] = await db
    .select({ allowedIps, dataPolicy })
    .from(organizationSettings)
    .where(eq(organizationSettings.accountId, accountId));
  return rules ?? noRules;
}

/** In force once the outbox is delivered. Throws GatewayError `role_required`. */
export function changeOrganizationRules(
  db: Db,
  actor: Actor,
  manager: Manager,
  change: Partial<OrganizationRules>,
): Promise<void> {
  const { accountId } = manager;
  return db.transaction(async (transaction) => {
    await lockAsManager(transaction, manager, 'organization:manage');
    await refuseDeleted(transaction, accountId);
    const rules = await readOrganizationRules(transaction, accountId);
    const before = Object.fromEntries(Object.entries(rules).filter(([name]) => Object.hasOwn(change, name)));
    if (Bun.deepEquals(before, change)) return;
    await transaction
      .insert(organizationSettings)
      .values({ accountId, ...change })
      .onConflictDoUpdate({ target: organizationSettings.accountId, set: change });
    await announceKeysOf(transaction, { accountId });
    await recordAction(transaction, actor, {
      action: 'organization.update',
      subject: `account ${accountId}`,
      accountId,
      before,
      after: change,
    });
  });
}
