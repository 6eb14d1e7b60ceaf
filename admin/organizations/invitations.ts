/**
 * Invitations to an organization: a mailed link, for one address, once and within a week. Inviting an address again replaces its
 * link. A row is deleted when the invitation is accepted or revoked; the audit log keeps what happened.
 */
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import type { Role } from '../auth/permissions.ts';
import { generateToken, hashToken } from '../auth/sessions/secret-token.ts';
import type { Db, DbOrTransaction, Transaction } from '../database/connect.ts';
import { refuseUnproven } from '../database/rows/account-state.ts';
import { lockAccount } from '../database/rows/lock-account.ts';
import { readSettings } from '../database/rows/notification-settings.ts';
import { invitations, memberships, organizations, users } from '../database/tables/accounts.ts';
import { queueMail } from '../mail/queue/queue-mail.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import { lockAsManager, type Manager, type Managing, requireOwner } from './manager.ts';

export const invitationDays = 7;

export type Invitation = Omit<typeof invitations.$inferSelect, 'tokenHash'>;

export interface NewInvitation {
  readonly email: string;
  readonly role: Role;
}

interface Sender extends Manager {
  readonly id: number;
  readonly email: string;
}

/** In the order in which they were first sent. Those that have expired are among them for a month, to be sent again. */
export async function listInvitations(db: DbOrTransaction, accountId: number): Promise<Invitation[]> {
  return db
    .select()
    .from(invitations)
    .where(eq(invitations.accountId, accountId))
    .orderBy(asc(invitations.createdAt), asc(invitations.id));
}

/** Throws GatewayError `role_required` for an owner's role, `email_not_verified`, `already_member` or `invalid_token`. */
export function invite(
  db: Db,
  actor: Actor,
  { sender, invitation, publicUrl }: { sender: Sender; invitation: NewInvitation; publicUrl: string },
): Promise<Invitation> {
  const { accountId } = sender;
  const { email, role } = invitation;
  return db.transaction(async (transaction) => {
    const managing = await lockAsManager(transaction, sender, 'members:manage');
    if (role === 'owner') requireOwner(managing);
    await refuseUnproven(transaction, accountId);
    await refuseMember(transaction, { accountId, email });
    const { token, ...link } = newLink();
    const row = await store(transaction, managing, { ...invitation, ...link, accountId, invitedBy: sender.id });
    await mail(transaction, { row, token, sender, publicUrl });
    await recordAction(transaction, actor, {
      action: 'invitation.create',
      subject: `invitation ${row.id}`,
      accountId,
      after: { email, role },
    });
    return row;
  });
}

/** In place of the last one for this address, which only owners replace if it is for an owner. The account is locked. */
async function store(
  transaction: Transaction,
  managing: Managing,
  values: typeof invitations.$inferInsert,
): Promise<Invitation> {
  const isSame = and(
    eq(invitations.accountId, values.accountId),
    sql`lower(${invitations.email}) = lower(${values.email})`,
  );
  const [former] = await transaction.select().from(invitations).where(isSame);
  if (former?.role === 'owner') requireOwner(managing);
  const [changed] = await transaction.update(invitations).set(values).where(isSame).returning();
  const [row] = changed === undefined ? await transaction.insert(invitations).values(values).returning() : [changed];
  if (row === undefined) throw new Error('an insert returned no invitation');
  return row;
}

/** With a new link; the old one ends. Throws GatewayError `not_found` or, for an owner's role, `role_required`. */
export function resendInvitation(
  db: Db,
  actor: Actor,
  { sender, id, publicUrl }: { sender: Sender; id: number; publicUrl: string },
): Promise<Invitation> {
  return db.transaction(async (transaction) => {
    const { role, email } = await findOwn(transaction, { sender, id });
    const { token, ...link } = newLink();
    const [row] = await transaction.update(invitations).set(link).where(eq(invitations.id, id)).returning();
    if (row === undefined) throw invitationNotFound(id);
    await mail(transaction, { row, token, sender, publicUrl });
    await recordAction(transaction, actor, {
      action: 'invitation.resend',
      subject: `invitation ${id}`,
      accountId: sender.accountId,
      after: { email, role },
    });
    return row;
  });
}

/** Its link ends. Throws GatewayError `not_found` or, for an owner's role, `role_required`. */
export function revokeInvitation(db: Db, actor: Actor, { sender, id }: { sender: Manager; id: number }): Promise<void> {
  return db.transaction(async (transaction) => {
    const { email, role } = await findOwn(transaction, { sender, id });
    await transaction.delete(invitations).where(eq(invitations.id, id));
    await recordAction(transaction, actor, {
      action: 'invitation.revoke',
      subject: `invitation ${id}`,
      accountId: sender.accountId,
      before: { email, role },
    });
  });
}

/** Throws GatewayError `invitation_expired`. */
export async function findInvitation(db: DbOrTransaction, token: string): Promise<Invitation> {
  const [found] = await db.select().from(invitations).where(isUsable(token));
  if (found === undefined) throw invitationExpired();
  return found;
}

/** Locks its account too, and first: an invitation takes the locks in this order. Throws GatewayError `invitation_expired`. */
export async function lockInvitation(transaction: Transaction, token: string): Promise<Invitation> {
  const { accountId } = await findInvitation(transaction, token);
  await lockAccount(transaction, accountId);
  const [locked] = await transaction.select().from(invitations).where(isUsable(token)).for('update');
  if (locked === undefined) throw invitationExpired();
  return locked;
}

const isUsable = (token: string) =>
  and(eq(invitations.tokenHash, hashToken(token)), gt(invitations.expiresAt, sql`now()`));

function newLink() {
  const token = generateToken();
  return { token, tokenHash: hashToken(token), expiresAt: new Date(Date.now() + invitationDays * 86_400_000) };
}

/** Locks it. */
async function findOwn(transaction: Transaction, { sender, id }: { sender: Manager; id: number }): Promise<Invitation> {
  const managing = await lockAsManager(transaction, sender, 'members:manage');
  const [found] = await transaction
    .select()
    .from(invitations)
    .where(and(eq(invitations.id, id), eq(invitations.accountId, sender.accountId)))
    .for('update');
  if (found === undefined) throw invitationNotFound(id);
  if (found.role === 'owner') requireOwner(managing);
  return found;
}

/** Throws GatewayError `already_member`. */
async function refuseMember(transaction: Transaction, { accountId, email }: { accountId: number; email: string }) {
  const [member] = await transaction
    .select({ id: users.id })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.accountId, accountId), sql`lower(${users.email}) = lower(${email})`));
  if (member !== undefined) throw alreadyMember();
}

async function mail(
  transaction: Transaction,
  { row, token, sender, publicUrl }: { row: Invitation; token: string; sender: Sender; publicUrl: string },
): Promise<void> {
  const { accountId, email: to, role, expiresAt } = row;
  const { language } = await readSettings(transaction, accountId);
  const [organization] = await transaction.select().from(organizations).where(eq(organizations.id, accountId));
  const data = {
    url: `${publicUrl}/accept-invitation?token=${token}`,
    expiresAt: expiresAt.toISOString(),
    organization: organization?.name ?? '',
    invitedBy: sender.email,
    role,
  };
  await queueMail(transaction, { kind: 'invitation', to, language, accountId, data });
}

export const invitationNotFound = (id: number) =>
  new GatewayError('not_found', `There is no invitation ${id}.`, { param: 'id' });

/** The one error for every bad link, so that the cause is not disclosed. */
export const invitationExpired = () =>
  new GatewayError('invitation_expired', 'This invitation is no longer valid. Ask for a new one.', { param: 'token' });

export const alreadyMember = () =>
  new GatewayError('already_member', 'This address already belongs to a member of the organization.', {
    param: 'email',
  });
