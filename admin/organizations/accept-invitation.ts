/**
 * Accepts an invitation. The link was mailed to its address, so it proves the address too: someone new gets a user with it, and
 * someone who has one must be logged in as that user.
 */
import { eq, sql } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import type { Language } from '../../shared/languages.ts';
import type { Caller } from '../auth/authorize.ts';
import { createUser, type User } from '../auth/create-user.ts';
import { findUserByEmail } from '../auth/find-user.ts';
import { acceptProof } from '../auth/mail-links/accept-proof.ts';
import type { PasswordHasher } from '../auth/passwords/password-hasher.ts';
import { checkPassword } from '../auth/passwords/password-rules.ts';
import { invalidToken, sessionEnded } from '../auth/sessions/access-tokens.ts';
import { type IssuedToken, issueRefreshToken } from '../auth/sessions/refresh-tokens.ts';
import { revokeSession } from '../auth/sessions/revoke-sessions.ts';
import { refuseElsewhere } from '../auth/sign-in-rule.ts';
import type { Db, DbOrTransaction, Transaction } from '../database/connect.ts';
import { refuseBlocked } from '../database/rows/account-state.ts';
import { chooseLanguage } from '../database/rows/notification-settings.ts';
import { invitations, memberships, organizations, users } from '../database/tables/accounts.ts';
import type { SessionClient } from '../http/request/caller-address.ts';
import { type Actor, recordAction } from '../operations/audit/record-action.ts';
import { writeEvent } from '../operations/webhook-events/write-event.ts';
import { alreadyMember, findInvitation, type Invitation, lockInvitation } from './invitations.ts';

export interface Acceptance {
  readonly token: string;
  /** Who is logged in where the link was followed. */
  readonly caller: Caller | undefined;
  /** For someone new. */
  readonly password: string | undefined;
  readonly displayName: string | null;
  /** Of someone new. */
  readonly language: Language;
  readonly client: SessionClient;
  readonly actor: Omit<Actor, 'name' | 'userId'>;
}

export interface Accepted {
  readonly user: User;
  readonly issued: IssuedToken;
}

export interface InvitationPreview {
  readonly organization: string;
  readonly email: string;
  readonly role: Invitation['role'];
  /** Whether the address has a user, who must log in to accept. */
  readonly hasAccount: boolean;
}

/** The invitation stays as it is. Throws GatewayError `invitation_expired`. */
export async function previewInvitation(db: DbOrTransaction, token: string): Promise<InvitationPreview> {
  const { accountId, email, role } = await findInvitation(db, token);
  const [organization] = await db.select().from(organizations).where(eq(organizations.id, accountId));
  const hasAccount = (await findUserByEmail(db, email)) !== undefined;
  return { organization: organization?.name ?? '', email, role, hasAccount };
}

/**
 * The session in which the link was followed ends, and another begins in the organization. Throws GatewayError
 * `invitation_expired`, `other_address`, `already_member`, `account_blocked`, `invalid_token` where the address has a user and no
 * one is logged in, and `missing_parameter` or `invalid_parameter` for the password of someone new; after any of them the link is
 * still valid.
 */
export async function acceptInvitation(
  { db, passwords }: { db: Db; passwords: PasswordHasher },
  acceptance: Acceptance,
): Promise<Accepted> {
  const { token, caller, password } = acceptance;
  // Hashing is expensive, so the link is checked first.
  const { email } = await findInvitation(db, token);
  if (caller !== undefined) return db.transaction((transaction) => acceptAs(transaction, caller, acceptance));
  if ((await findUserByEmail(db, email)) !== undefined) throw logInFirst(email);
  const passwordHash = await passwords.hash(checkNew(password, email));
  return db.transaction(async (transaction) => {
    const invitation = await lockInvitation(transaction, token);
    const user = await createInvited(transaction, { ...acceptance, email: invitation.email, passwordHash });
    return join(transaction, { user, invitation, acceptance });
  });
}

async function acceptAs(transaction: Transaction, caller: Caller, acceptance: Acceptance): Promise<Accepted> {
  // The user before the account: log-ins take the locks in this order.
  const [user] = await transaction.select().from(users).where(eq(users.id, caller.id)).for('no key update');
  if (user === undefined) throw invalidToken('The user of this access token no longer exists.');
  const invitation = await lockInvitation(transaction, acceptance.token);
  if (user.email.toLowerCase() !== invitation.email.toLowerCase()) throw otherAddress(invitation.email);
  const proven = await proveAddress(transaction, user, caller.sessionId);
  const ended = await revokeSession(transaction, caller.sessionId);
  if (ended?.ended !== true) throw sessionEnded();
  refuseElsewhere(ended.oidcAccountId, invitation.accountId);
  return join(transaction, { user: proven, invitation, acceptance, oidcAccountId: ended.oidcAccountId });
}

/** Throws GatewayError `missing_parameter` or `invalid_parameter`. */
function checkNew(password: string | undefined, email: string): string {
  if (password === undefined) throw passwordMissing();
  checkPassword(password, { email, param: 'password' });
  return password;
}

/** With a home of their own, where nothing is to be done. */
async function createInvited(
  transaction: Transaction,
  { email, passwordHash, displayName, language }: Acceptance & { email: string; passwordHash: string },
): Promise<User> {
  const person = { email, passwordHash, displayName, role: 'customer', ownership: 'proven' } as const;
  const { id, homeAccountId } = await createUser(transaction, person);
  await chooseLanguage(transaction, homeAccountId, language);
  const [user] = await transaction
    .update(users)
    .set({ emailVerifiedAt: sql`now()` })
    .where(eq(users.id, id))
    .returning();
  if (user === undefined) throw new Error('an update returned no user');
  return user;
}

/** As by a link to verify it that is followed in this session. */
async function proveAddress(transaction: Transaction, user: User, sessionId: string): Promise<User> {
  if (user.emailVerifiedAt !== null) return user;
  await acceptProof(transaction, { user, purpose: 'verify_address', sessionId });
  const [proven] = await transaction
    .update(users)
    .set({ emailVerifiedAt: sql`now()` })
    .where(eq(users.id, user.id))
    .returning();
  if (proven === undefined) throw new Error('an update returned no user');
  return proven;
}

interface Joining {
  readonly user: User;
  readonly invitation: Invitation;
  readonly acceptance: Acceptance;
  /** Of the session that ends. */
  readonly oidcAccountId?: number | null;
}

/** Throws GatewayError `account_blocked` or `already_member`. */
async function join(
  transaction: Transaction,
  { user, invitation, acceptance, oidcAccountId = null }: Joining,
): Promise<Accepted> {
  const { id, accountId, role } = invitation;
  const { actor, client } = acceptance;
  await refuseBlocked(transaction, accountId);
  const joined = await transaction
    .insert(memberships)
    .values({ accountId, userId: user.id, role })
    .onConflictDoNothing()
    .returning({ userId: memberships.userId });
  if (joined.length === 0) throw alreadyMember();
  await transaction.delete(invitations).where(eq(invitations.id, id));
  await transaction.update(users).set({ lastAccountId: accountId }).where(eq(users.id, user.id));
  await recordAction(
    transaction,
    { ...actor, name: user.email, userId: user.id },
    { action: 'invitation.accept', subject: `invitation ${id}`, accountId, after: { email: user.email, role } },
  );
  await writeEvent(transaction, accountId, {
    type: 'member.joined',
    data: { userId: user.id, email: user.email, role },
  });
  const session = { user, accountId, oidcAccountId, client, refusal: sessionEnded() };
  return { user, issued: await issueRefreshToken(transaction, session) };
}

export const otherAddress = (email: string) =>
  new GatewayError('other_address', `This invitation is for ${email}. Log in with that address to accept it.`);

export const logInFirst = (email: string) =>
  invalidToken(`There is already a user ${email}. Log in, and send the access token to accept the invitation.`);

const passwordMissing = () =>
  new GatewayError('missing_parameter', "Missing required parameter: 'password'. A new user needs one.", {
    param: 'password',
  });
