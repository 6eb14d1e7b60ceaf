/**
 * What an organization requires its members to have signed in with. Those who have not may only manage their own profile, where they
 * can set up what is missing; their API keys go on.
 */
import { desc, eq } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import { refreshTokens } from '../database/tables/accounts.ts';
import type { User } from './create-user.ts';
import type { Permission, Role } from './permissions.ts';

export const signInRules = ['none', 'second_factor', 'oidc'] as const;
export type SignInRule = (typeof signInRules)[number];

export interface SignedIn {
  readonly user: Pick<User, 'secondFactorAt'>;
  readonly sessionId: string;
  readonly accountId: number;
  readonly role: Role;
  readonly rule: SignInRule;
}

/**
 * The rule that a session does not satisfy; null if it does. An identity provider asks for factors of its own, and an owner always
 * gets in with their password and a second factor.
 */
export async function unmetRule(
  db: DbOrTransaction,
  { user, sessionId, accountId, role, rule }: SignedIn,
): Promise<Exclude<SignInRule, 'none'> | null> {
  if (rule === 'none') return null;
  if (user.secondFactorAt !== null && (rule === 'second_factor' || role === 'owner')) return null;
  return (await identityProviderOf(db, sessionId)) === accountId ? null : rule;
}

/** The identity provider of an organization opens nothing outside of it, so nobody who has signed in with one is an operator. */
export async function roleInSession(
  db: DbOrTransaction,
  { role }: Pick<User, 'role'>,
  sessionId: string,
): Promise<User['role']> {
  return role === 'operator' && (await identityProviderOf(db, sessionId)) === null ? 'operator' : 'customer';
}

/** The account of the organization whose identity provider a session began with; null for a password or a passkey. */
async function identityProviderOf(db: DbOrTransaction, sessionId: string): Promise<number | null> {
  const [newest] = await db
    .select({ oidcAccountId: refreshTokens.oidcAccountId })
    .from(refreshTokens)
    .where(eq(refreshTokens.family, sessionId))
    .orderBy(desc(refreshTokens.id))
    .limit(1);
  return newest?.oidcAccountId ?? null;
}

/** Throws GatewayError `sign_in_rule`. */
export function refuseUnmet(unmet: Awaited<ReturnType<typeof unmetRule>>, permission: Permission): void {
  if (unmet !== null && permission !== 'profile:manage') throw signInRule(unmet);
}

/**
 * An organization's identity provider signs in only to that organization: it must not open what its people have elsewhere. Throws
 * GatewayError `other_organization`.
 */
export function refuseElsewhere(oidcAccountId: number | null, accountId: number): void {
  if (oidcAccountId !== null && oidcAccountId !== accountId) throw otherOrganization();
}

export const otherOrganization = () =>
  new GatewayError(
    'other_organization',
    'You signed in with the identity provider of an organization, which is only for that one. Log out, and log in with your password.',
  );

export const signInRule = (unmet: Exclude<SignInRule, 'none'>) =>
  new GatewayError(
    'sign_in_rule',
    unmet === 'oidc'
      ? 'This organization requires its members to sign in with its identity provider. Log out, and sign in with single sign-on.'
      : 'This organization requires two-factor authentication. Set up an authenticator app or a passkey in your profile.',
  );
