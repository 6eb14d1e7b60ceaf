/** Who changes something of an organization, and whether they may still do so at the moment of the change. */
import { and, eq } from 'drizzle-orm';
import { notMember } from '../auth/authorize.ts';
import { checkPermission, type Permission, type Role, roleRequired } from '../auth/permissions.ts';
import type { Transaction } from '../database/connect.ts';
import { lockAccount } from '../database/rows/lock-account.ts';
import { memberships } from '../database/tables/accounts.ts';

/** Who acts, and in which organization. */
export interface Manager {
  /** Of the user; null for an operator at the command line, who may do what an owner may. */
  readonly id: number | null;
  readonly accountId: number;
}

export interface Managing {
  readonly role: Role;
  readonly scope: 'all' | 'own';
}

/**
 * Locks the account, and looks once more what the manager may do: what was committed since they were admitted must not be undone by
 * them. Throws GatewayError `role_required`, or `invalid_token` if they are no longer a member.
 */
export async function lockAsManager(
  transaction: Transaction,
  { id: userId, accountId }: Manager,
  permission: Permission,
): Promise<Managing> {
  await lockAccount(transaction, accountId);
  if (userId === null) return { role: 'owner', scope: 'all' };
  const [membership] = await transaction
    .select({ role: memberships.role })
    .from(memberships)
    .where(and(eq(memberships.accountId, accountId), eq(memberships.userId, userId)));
  if (membership === undefined) throw notMember();
  const { role } = membership;
  return { role, scope: checkPermission({ role: 'customer', organizationRole: role }, permission) };
}

/** Throws GatewayError `role_required`. */
export function requireOwner({ role }: Managing): void {
  if (role !== 'owner') throw roleRequired(role, ['owner']);
}
