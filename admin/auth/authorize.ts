/**
 * Lets only those pass who have the permission that an operation names, and gives its handler their identity.
 *
 * The operation names it where it is described, so the document and what is enforced cannot differ.
 */
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { Elysia } from 'elysia';
import type { DbOrTransaction } from '../database/connect.ts';
import { accounts, memberships, organizationSettings, refreshTokens, users } from '../database/tables/accounts.ts';
import { callerAddress } from '../http/request/caller-address.ts';
import { requestIdOf } from '../http/response-headers.ts';
import type { Actor } from '../operations/audit/record-action.ts';
import type { AdminServices } from '../services.ts';
import type { User } from './create-user.ts';
import { checkPermission, type Permission, type Role } from './permissions.ts';
import {
  type AccessClaims,
  type AccessTokens,
  accessTokens,
  invalidToken,
  sessionEnded,
  verifyAccessToken,
} from './sessions/access-tokens.ts';
import { refuseUnmet, roleInSession, type SignInRule, unmetRule } from './sign-in-rule.ts';

/** A person who is logged in. `role` says whether they are an operator in this session: see `roleInSession`. */
export interface Caller extends User, Pick<AccessClaims, 'sessionId' | 'tokenExpiresAt'> {
  /** The account of the organization that the access token is for. */
  readonly accountId: number;
  /** Theirs in that organization. */
  readonly organizationRole: Role;
  readonly signInRule: SignInRule;
  /** The organization's sign-in rule, if the session does not satisfy it. */
  readonly unmetRule: Awaited<ReturnType<typeof unmetRule>>;
}

/** Whose keys, and what they were used for, a caller is limited to: a user's; undefined for all of the account. */
export interface KeyScope {
  readonly keysOf: number | undefined;
}

/** Throws GatewayError `role_required`, `access_denied` or `sign_in_rule`. */
export function scopeOf(caller: Caller, permission: Permission): KeyScope {
  refuseUnmet(caller.unmetRule, permission);
  return { keysOf: checkPermission(caller, permission) === 'own' ? caller.id : undefined };
}

/**
 * Routes that use it take the option `permission`, and then get `caller`, and `actor` for the audit log. A response that takes
 * minutes calls `reauthorize` in the meantime; the access token itself may have expired by then. Throws GatewayError
 * `invalid_token`, `role_required`, `sign_in_rule` or `access_denied`, and so does `reauthorize`.
 */
export const authorized = (services: AdminServices) =>
  new Elysia()
    .use(accessTokens(services.config))
    .decorate('authority', services)
    .macro({
      // Elysia writes the result into the route's options, which all servers of a process share: it must not hold one's services.
      permission: (permission: Permission) => ({
        resolve: async ({ accessTokens, authority, headers, request, server, set }) => {
          const claims = await verifyAccessToken(accessTokens, headers.authorization);
          const authorize = async () => {
            const user = await findCaller(authority.database.db, claims);
            return { ...user, ...scopeOf(user, permission) };
          };
          const caller = await authorize();
          const actor: Actor = {
            name: caller.email,
            userId: caller.id,
            address: callerAddress({ request, server }, authority.config),
            requestId: requestIdOf(set),
            isMember: permission !== 'operator',
          };
          return { caller, actor, reauthorize: authorize };
        },
      }),
    });

/**
 * User, role, session and sign-in rule are looked up for each request, so a changed role, a log-out, a new password or a new rule
 * takes effect immediately. Throws GatewayError `invalid_token`.
 */
export async function authenticateUser(
  { database }: { readonly database: { readonly db: DbOrTransaction } },
  tokens: AccessTokens,
  authorization: string | undefined,
): Promise<Caller> {
  return findCaller(database.db, await verifyAccessToken(tokens, authorization));
}

async function findCaller(
  db: DbOrTransaction,
  { userId, accountId, sessionId, tokenExpiresAt }: AccessClaims,
): Promise<Caller> {
  const found = await findMember(db, userId, accountId);
  if (found === undefined) throw invalidToken('The user of this access token no longer exists.');
  if (found.membership === null) throw notMember();
  if (await hasSessionEnded(db, sessionId)) throw sessionEnded();
  const { accountId: organization, role: organizationRole } = found.membership;
  const { rule: signInRule, user } = found;
  const signedIn = { user, sessionId, accountId: organization, role: organizationRole, rule: signInRule };
  const place = {
    accountId: organization,
    organizationRole,
    signInRule,
    unmetRule: await unmetRule(db, signedIn),
  };
  const role = await roleInSession(db, user, sessionId);
  return { ...user, role, ...place, sessionId, tokenExpiresAt };
}

/** In their home without an account. The membership is null also if the account is blocked or deleted. */
async function findMember(db: DbOrTransaction, userId: number, accountId: number | undefined) {
  const [found] = await db
    .select({
      user: users,
      membership: memberships,
      openAccountId: accounts.id,
      rule: sql<SignInRule>`coalesce(${organizationSettings.signInRule}, 'none')`,
    })
    .from(users)
    .leftJoin(
      memberships,
      and(eq(memberships.userId, users.id), eq(memberships.accountId, accountId ?? users.homeAccountId)),
    )
    .leftJoin(
      accounts,
      and(eq(accounts.id, memberships.accountId), isNull(accounts.blockedAt), isNull(accounts.deletedAt)),
    )
    .leftJoin(organizationSettings, eq(organizationSettings.accountId, accounts.id))
    .where(and(eq(users.id, userId), isNull(users.deletedAt)));
  return found && { ...found, membership: found.openAccountId === null ? null : found.membership };
}

export const notMember = () => invalidToken('You are no longer a member of this organization. Log in again.');

async function hasSessionEnded(db: DbOrTransaction, sessionId: string): Promise<boolean> {
  const revoked = await db
    .select({ id: refreshTokens.id })
    .from(refreshTokens)
    .where(and(eq(refreshTokens.family, sessionId), isNotNull(refreshTokens.revokedAt)))
    .limit(1);
  return revoked.length > 0;
}
