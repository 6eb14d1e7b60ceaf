/**
 * Whom an identity provider has signed in: the user of its subject, or of an address that it has verified and whose domain the
 * organization has proven. Someone new gets a user; someone who is not a member yet becomes one, with the role of their invitation.
 */
import { and, eq, gt, sql } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Language } from '../../../shared/languages.ts';
import { createUser, type User } from '../../auth/create-user.ts';
import { parseEmail } from '../../auth/email-address.ts';
import { findUserByEmail, lockUser } from '../../auth/find-user.ts';
import { acceptProof } from '../../auth/mail-links/accept-proof.ts';
import { endFactors } from '../../auth/second-factor/factors.ts';
import type { Transaction } from '../../database/connect.ts';
import { lockAccount } from '../../database/rows/lock-account.ts';
import { chooseLanguage } from '../../database/rows/notification-settings.ts';
import { invitations, memberships, users } from '../../database/tables/accounts.ts';
import { oidcIdentities } from '../../database/tables/sign-in.ts';
import { type Actor, recordAction } from '../../operations/audit/record-action.ts';
import { writeEvent } from '../../operations/webhook-events/write-event.ts';
import { findOwner } from './domains.ts';
import { type Identity, signInFailed } from './identity-provider.ts';

interface Search {
  readonly accountId: number;
  readonly identity: Identity;
  /** For someone new. */
  readonly passwordHash: string;
  readonly language: Language;
  readonly actor: Omit<Actor, 'name' | 'userId'>;
}

/** Throws GatewayError `sign_in_failed`. */
export async function findPerson(transaction: Transaction, search: Search): Promise<User> {
  const { accountId, identity } = search;
  const { issuer, subject } = identity;
  const isTheirs = and(
    eq(oidcIdentities.accountId, accountId),
    eq(oidcIdentities.issuer, issuer),
    eq(oidcIdentities.subject, subject),
  );
  const [known] = await transaction.select().from(oidcIdentities).where(isTheirs);
  const user =
    known === undefined ? await findByAddress(transaction, search) : await lockUser(transaction, known.userId);
  if (user === undefined)
    throw signInFailed('deleted', 'Your user was deleted. Ask an owner of the organization to invite you.');
  await transaction
    .insert(oidcIdentities)
    .values({ accountId, issuer, subject, userId: user.id })
    .onConflictDoNothing();
  await join(transaction, user, search);
  return user;
}

async function findByAddress(transaction: Transaction, search: Search): Promise<User> {
  const { accountId, identity } = search;
  const email = await vouchedAddress(transaction, accountId, identity);
  const found = await findUserByEmail(transaction, email);
  if (found === undefined) return createPerson(transaction, email, search);
  const user = await lockUser(transaction, found.id);
  if (user === undefined) throw signInFailed('begin_again', 'Begin again.');
  return prove(transaction, user, search);
}

/** Only then is it the person's own: anyone can set up a provider that claims to know anyone. */
async function vouchedAddress(
  transaction: Transaction,
  accountId: number,
  { email: claimed, isEmailVerified }: Identity,
): Promise<string> {
  if (claimed === undefined || !isEmailVerified) {
    throw signInFailed('unverified', 'The identity provider does not say that your e-mail address is verified.');
  }
  const email = addressOf(claimed);
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if ((await findOwner(transaction, domain)) !== accountId) {
    throw signInFailed('foreign_domain', `The organization has not proven that ${domain} is its domain.`);
  }
  return email;
}

function addressOf(claimed: string): string {
  try {
    return parseEmail(claimed);
  } catch (cause) {
    if (cause instanceof GatewayError)
      throw signInFailed('unverified', 'The identity provider names no valid e-mail address.', cause);
    throw cause;
  }
}

async function createPerson(
  transaction: Transaction,
  email: string,
  { identity, passwordHash, language }: Search,
): Promise<User> {
  const displayName = identity.name?.trim().slice(0, 100) || null;
  const person = { email, passwordHash, displayName, role: 'customer', ownership: 'proven' } as const;
  const { id, homeAccountId } = await createUser(transaction, person);
  await chooseLanguage(transaction, homeAccountId, language);
  const [created] = await transaction
    .update(users)
    .set({ emailVerifiedAt: sql`now()` })
    .where(eq(users.id, id))
    .returning();
  if (created === undefined) throw new Error('an update returned no user');
  return created;
}

/**
 * Anyone can have signed up with the address before. Unless it was proven to be theirs, what they made ends, and the password and the
 * second factors that they have.
 */
async function prove(transaction: Transaction, user: User, { passwordHash, actor }: Search): Promise<User> {
  const { ended } = await acceptProof(transaction, { user, purpose: 'reset_password' });
  if (!ended && user.emailVerifiedAt !== null) return user;
  if (ended) await endOwnFactors(transaction, user.id, actor);
  const [proven] = await transaction
    .update(users)
    .set({ emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, now())`, ...(ended && { passwordHash }) })
    .where(eq(users.id, user.id))
    .returning();
  if (proven === undefined) throw new Error('an update returned no user');
  return proven;
}

/** Removes factors that may be the person's own, and tells them. A stranger's were removed with the proof. */
async function endOwnFactors(transaction: Transaction, userId: number, actor: Search['actor']): Promise<void> {
  const user = await lockUser(transaction, userId);
  if (user === undefined || user.secondFactorAt === null) return;
  const reason = 'The address had not been proven before this single sign-on';
  await endFactors(transaction, { ...actor, name: user.email, userId }, { user, reason });
}

async function join(transaction: Transaction, user: User, { accountId, actor }: Search): Promise<void> {
  await lockAccount(transaction, accountId);
  const isInvited = and(
    eq(invitations.accountId, accountId),
    eq(sql`lower(${invitations.email})`, user.email.toLowerCase()),
    gt(invitations.expiresAt, sql`now()`),
  );
  const [invitation] = await transaction.select().from(invitations).where(isInvited);
  const role = invitation?.role ?? 'member';
  const joined = await transaction
    .insert(memberships)
    .values({ accountId, userId: user.id, role })
    .onConflictDoNothing()
    .returning({ userId: memberships.userId });
  if (joined.length === 0) return;
  if (invitation !== undefined) await transaction.delete(invitations).where(eq(invitations.id, invitation.id));
  await recordAction(
    transaction,
    { ...actor, name: user.email, userId: user.id },
    { action: 'member.join', subject: `user ${user.id}`, accountId, after: { email: user.email, role } },
  );
  await writeEvent(transaction, accountId, {
    type: 'member.joined',
    data: { userId: user.id, email: user.email, role },
  });
}
