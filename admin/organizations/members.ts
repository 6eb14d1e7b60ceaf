/** The people of an organization: their roles, and how they leave. */
import { and, asc, count, eq, isNull, ne, sql } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { mayHaveKeys, type Role, roleRequired } from '../auth/permissions.ts';
import { revokeSessionsIn } from '../auth/sessions/revoke-sessions.ts';
import type { Db, DbOrTransaction, Transaction } from '../database/connect.ts';
import { memberships, refreshTokens, users } from '../database/tables/accounts.ts';
import { budgets } from '../database/tables/budgets.ts';
import { oidcIdentities } from '../database/tables/sign-in.ts';
import { deactivateKeysBy, handOverKeys } from '../keys/keys-of-user.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import { lockAsManager, type Manager, requireOwner } from './manager.ts';
import { makeOwned } from './organizations.ts';

export interface Member {
  readonly id: number;
  readonly email: string;
  readonly displayName: string | null;
  readonly role: Role;
  /** Whether their log-ins need a second factor. */
  readonly twoFactor: boolean;
  readonly joinedAt: Date;
  /** When they were last given tokens for this organization; null if never, or long ago. */
  readonly lastSeenAt: Date | null;
}

export interface Removal {
  readonly userId: number;
  /** The member who takes over the proxy keys that they have created; null to deactivate the keys. */
  readonly successor: number | null;
}

/** `successor` matters for a role that has no keys. */
export interface RoleChange extends Removal {
  readonly role: Role;
}

/** In the order in which they joined. */
export async function listMembers(db: DbOrTransaction, accountId: number): Promise<Member[]> {
  const seen = sql`(
    SELECT max(${refreshTokens.createdAt}) FROM ${refreshTokens} WHERE ${refreshTokens.userId} = ${users.id}
      AND coalesce(${refreshTokens.accountId}, ${users.homeAccountId}) = ${memberships.accountId})`;
  return db
    .select({
      id: users.id,
      email: users.email,
      displayName: users.displayName,
      role: memberships.role,
      twoFactor: sql<boolean>`${users.secondFactorAt} IS NOT NULL`,
      joinedAt: memberships.createdAt,
      lastSeenAt: sql<Date | null>`${seen}`.mapWith(refreshTokens.createdAt),
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.accountId, accountId), isNull(users.deletedAt)))
    .orderBy(asc(memberships.createdAt), asc(users.id));
}

/**
 * Takes effect with the member's next request. What they have created of proxy keys ends with the role that may have some: it is
 * refused once the outbox is delivered. Throws GatewayError `not_found`, `role_required`, `last_owner`, and `invalid_parameter` where
 * they would keep the keys.
 */
export function changeRole(db: Db, actor: Actor, manager: Manager, change: RoleChange): Promise<void> {
  const { userId, role, successor } = change;
  const losesKeys = !mayHaveKeys(role);
  if (losesKeys && successor === userId) throw transferToSelf();
  return db.transaction(async (transaction) => {
    const { accountId } = manager;
    const managing = await lockAsManager(transaction, manager, 'members:manage');
    const member = await findMember(transaction, { accountId, userId });
    if (member.role === role) return;
    if (member.role === 'owner' || role === 'owner') requireOwner(managing);
    if (member.role === 'owner') await refuseLastOwner(transaction, { accountId, userId });
    await transaction.update(memberships).set({ role }).where(isMember({ accountId, userId }));
    if (losesKeys && successor !== null) await findMember(transaction, { accountId, userId: successor });
    const keys = losesKeys ? await endKeys(transaction, { accountId, userId, successor }) : undefined;
    await recordAction(transaction, actor, {
      action: 'member.role',
      subject: `user ${userId}`,
      accountId,
      before: { email: member.email, role: member.role },
      after: { email: member.email, role, ...(keys?.count && keys.recorded) },
    });
  });
}

/**
 * Ends their sessions in the organization. Their keys are refused once the outbox is delivered. Throws GatewayError `not_found`,
 * `role_required`, `last_owner`, and `invalid_parameter` where someone who leaves would keep the keys.
 */
export function removeMember(db: Db, actor: Actor, manager: Manager, { userId, successor }: Removal): Promise<void> {
  const { accountId } = manager;
  if (successor === userId) throw transferToSelf();
  return db.transaction(async (transaction) => {
    // The user before the account: log-ins take the locks in this order.
    await transaction.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update');
    const managing = await lockAsManager(transaction, manager, 'members:remove');
    if (managing.scope === 'own' && userId !== manager.id) throw roleRequired(managing.role, ['owner', 'admin']);
    const member = await findMember(transaction, { accountId, userId });
    if (member.role === 'owner') {
      requireOwner(managing);
      await refuseLastOwner(transaction, { accountId, userId });
    }
    if (successor !== null) await findMember(transaction, { accountId, userId: successor });
    const changed = await endMembership(transaction, { accountId, userId, successor });
    await recordAction(transaction, actor, {
      action: userId === manager.id ? 'member.leave' : 'member.remove',
      subject: `user ${userId}`,
      accountId,
      before: { email: member.email, role: member.role },
      after: changed.recorded,
    });
  });
}

interface Leaving extends Membership {
  /** Whose the keys are from now on; null to deactivate them. */
  readonly successor: number | null;
}

interface Membership {
  readonly accountId: number;
  readonly userId: number;
}

/**
 * The user and the account are locked. Who leaves their home gets an empty one, so that everyone has an organization to log in to,
 * and no version takes a former member for the owner.
 */
export async function endMembership(transaction: Transaction, leaving: Leaving): Promise<EndedKeys> {
  const { successor, ...membership } = leaving;
  const { accountId, userId } = membership;
  await transaction.delete(memberships).where(isMember(membership));
  await revokeSessionsIn(transaction, membership);
  await transaction
    .delete(oidcIdentities)
    .where(and(eq(oidcIdentities.accountId, accountId), eq(oidcIdentities.userId, userId)));
  const changed = await endKeys(transaction, { ...membership, successor });
  await transaction
    .delete(budgets)
    .where(and(eq(budgets.accountId, accountId), eq(budgets.level, 'member'), eq(budgets.scopeId, userId)));
  const [user] = await transaction.select().from(users).where(eq(users.id, userId));
  if (user?.homeAccountId === accountId) {
    const homeAccountId = await makeOwned(transaction, { user, name: null });
    await transaction.update(users).set({ homeAccountId }).where(eq(users.id, userId));
  }
  return changed;
}

interface EndedKeys {
  readonly count: number;
  /** As the audit log has it. */
  readonly recorded: Readonly<Record<string, number>>;
}

async function endKeys(transaction: Transaction, { successor, ...membership }: Leaving): Promise<EndedKeys> {
  if (successor === null) {
    const count = await deactivateKeysBy(transaction, membership);
    return { count, recorded: { keysDeactivated: count } };
  }
  const count = await handOverKeys(transaction, { ...membership, to: successor });
  return { count, recorded: { keysTransferred: count } };
}

/** The account is locked. Throws GatewayError `last_owner` if no other owner is left. */
export async function refuseLastOwner(transaction: Transaction, { accountId, userId }: Membership): Promise<void> {
  const [others] = await transaction
    .select({ owners: count() })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(
      and(
        eq(memberships.accountId, accountId),
        eq(memberships.role, 'owner'),
        ne(memberships.userId, userId),
        isNull(users.deletedAt),
      ),
    );
  if (others?.owners === 0) throw lastOwner();
}

async function findMember(transaction: Transaction, membership: Membership): Promise<{ email: string; role: Role }> {
  const [member] = await transaction
    .select({ email: users.email, role: memberships.role })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(isMember(membership), isNull(users.deletedAt)));
  if (member === undefined) throw memberNotFound(membership.userId);
  return member;
}

const isMember = ({ accountId, userId }: Membership) =>
  and(eq(memberships.accountId, accountId), eq(memberships.userId, userId));

export const memberNotFound = (id: number) =>
  new GatewayError('not_found', `There is no member ${id} in this organization.`, { param: 'id' });

export const lastOwner = () =>
  new GatewayError('last_owner', 'This is the last owner of the organization. Make another member an owner first.');

const transferToSelf = () =>
  new GatewayError(
    'invalid_parameter',
    'You cannot take over your own keys. Someone else can remove you, or change your role, and take them over.',
    {
      param: 'keys',
    },
  );
