/** Organizations as their people see them: which ones someone belongs to, how one is made, and what it is called. */
import { and, asc, count, eq, isNull, sql } from 'drizzle-orm';
import { checkTimeZone } from '../../shared/days-of-zone.ts';
import { GatewayError } from '../../shared/errors.ts';
import { withoutUndefined } from '../../shared/members.ts';
import { makeAccount, type User } from '../auth/create-user.ts';
import type { Role } from '../auth/permissions.ts';
import type { SignInRule } from '../auth/sign-in-rule.ts';
import type { Db, DbOrTransaction, Transaction } from '../database/connect.ts';
import { refuseDeleted, refuseUnproven } from '../database/rows/account-state.ts';
import { chooseLanguage, readSettings } from '../database/rows/notification-settings.ts';
import { accounts, memberships, organizationSettings, organizations, users } from '../database/tables/accounts.ts';
import { budgets } from '../database/tables/budgets.ts';
import { announceKeysOf } from '../keys/announce-key.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import { lockAsManager, type Manager } from './manager.ts';

/** That one person owns. */
export const ownedMax = 10;

export interface Organization {
  readonly id: number;
  readonly name: string;
  /** Of the person who asks. */
  readonly role: Role;
  /** An IANA name. */
  readonly timeZone: string;
  /** What its members must have signed in with. */
  readonly signInRule: SignInRule;
  readonly createdAt: Date;
}

export interface OrganizationChange {
  readonly name?: string;
  readonly timeZone?: string;
}

/** In the order in which the user joined them. */
export function listOrganizations(db: DbOrTransaction, userId: number): Promise<Organization[]> {
  return db
    .select({
      id: accounts.id,
      name: sql<string>`coalesce(${organizations.name}, '')`,
      role: memberships.role,
      timeZone: organizations.timeZone,
      signInRule: sql<SignInRule>`coalesce(${organizationSettings.signInRule}, 'none')`,
      createdAt: accounts.createdAt,
    })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.accountId))
    .innerJoin(organizations, eq(organizations.id, memberships.accountId))
    .leftJoin(organizationSettings, eq(organizationSettings.accountId, memberships.accountId))
    .where(and(eq(memberships.userId, userId), isNull(accounts.deletedAt)))
    .orderBy(asc(memberships.createdAt), asc(accounts.id));
}

interface Place {
  readonly userId: number;
  readonly accountId: number;
}

/** Throws GatewayError `not_found` also for one of which the user is no member. */
export async function readOrganization(db: DbOrTransaction, { userId, accountId }: Place): Promise<Organization> {
  const found = (await listOrganizations(db, userId)).find(({ id }) => id === accountId);
  if (found === undefined) throw organizationNotFound(accountId);
  return found;
}

/**
 * Its mails are in the language of the user's home. Throws GatewayError `email_not_verified` or `too_many_organizations`. Returns
 * its id.
 */
export function createOrganization(
  db: Db,
  actor: Actor,
  { user, name }: { user: User; name: string },
): Promise<number> {
  return db.transaction(async (transaction) => {
    // One at a time, so that two requests cannot both take the last free place.
    await transaction.select({ id: users.id }).from(users).where(eq(users.id, user.id)).for('no key update');
    await refuseDeleted(transaction, user.homeAccountId);
    await refuseUnproven(transaction, user.homeAccountId);
    const [owned] = await transaction
      .select({ count: count() })
      .from(memberships)
      .where(and(eq(memberships.userId, user.id), eq(memberships.role, 'owner')));
    if (owned !== undefined && owned.count >= ownedMax) throw tooManyOrganizations();
    const accountId = await makeOwned(transaction, { user, name: checkName(name) });
    await recordAction(transaction, actor, {
      action: 'organization.create',
      subject: `account ${accountId}`,
      accountId,
      after: { name },
    });
    return accountId;
  });
}

/** An empty organization that the user owns. */
export async function makeOwned(
  transaction: Transaction,
  { user, name }: { user: Pick<User, 'id' | 'homeAccountId'>; name: string | null },
): Promise<number> {
  const accountId = await makeAccount(transaction, 'proven');
  if (name !== null) await transaction.insert(organizationSettings).values({ accountId, name });
  await transaction.insert(memberships).values({ accountId, userId: user.id, role: 'owner' });
  const { language } = await readSettings(transaction, user.homeAccountId);
  await chooseLanguage(transaction, accountId, language);
  return accountId;
}

/** Throws GatewayError `invalid_parameter` or `role_required`. */
export function changeOrganization(
  db: Db,
  actor: Actor,
  manager: Manager,
  { name, timeZone }: OrganizationChange,
): Promise<void> {
  const { accountId } = manager;
  if (timeZone !== undefined) checkTimeZone(timeZone);
  const change = withoutUndefined({ name: name && checkName(name), timeZone });
  return db.transaction(async (transaction) => {
    await lockAsManager(transaction, manager, 'organization:manage');
    await refuseDeleted(transaction, accountId);
    const isOwn = eq(organizationSettings.accountId, accountId);
    const [before] = await transaction.select().from(organizationSettings).where(isOwn);
    await transaction
      .insert(organizationSettings)
      .values({ accountId, ...change })
      .onConflictDoUpdate({ target: organizationSettings.accountId, set: change });
    if (change.timeZone !== undefined) {
      await announceKeysOf(transaction, { accountId });
      await transaction.update(budgets).set({ windowStart: null }).where(eq(budgets.accountId, accountId));
    }
    await recordAction(transaction, actor, {
      action: 'organization.update',
      subject: `account ${accountId}`,
      accountId,
      before: {
        ...(change.name !== undefined && { name: before?.name ?? null }),
        ...(change.timeZone !== undefined && { timeZone: before?.timeZone ?? 'UTC' }),
      },
      after: change,
    });
  });
}

/** Strangers read it in an invitation, which must not become someone's advertisement. */
function checkName(text: string): string {
  const name = text.trim();
  if (name === '') throw badName('it must not be blank');
  if (/:\/\/|\bwww\./i.test(name)) throw badName('it must not have a link');
  return name;
}

const badName = (reason: string) =>
  new GatewayError('invalid_parameter', `Invalid value for 'name': ${reason}.`, { param: 'name' });

export const organizationNotFound = (id: number) =>
  new GatewayError('not_found', `You are not a member of an organization ${id}.`, { param: 'organizationId' });

export const tooManyOrganizations = () =>
  new GatewayError('too_many_organizations', `One person can own at most ${ownedMax} organizations.`);
