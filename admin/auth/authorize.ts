/**
 * Lets only those pass who have the permission that an operation names, and gives its handler their identity.
 *
 * The operation names it where it is described, so the document and what is enforced cannot differ.
 */
import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import { Elysia } from 'elysia';
import type { DbOrTransaction } from '../database/connect.ts';
import { memberships, refreshTokens, users } from '../database/tables/accounts.ts';
import { callerAddress } from '../http/request/client-address.ts';
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
  verifyAccessToken,
} from './sessions/access-tokens.ts';

/** A person who is logged in. `role` says whether they are an operator, `organizationRole` is theirs in the account. */
export type Caller = User & { readonly organizationRole: Role } & Pick<AccessClaims, 'sessionId' | 'tokenExpiresAt'>;

/** Whose keys, and what they were used for, a caller is limited to: a user's; undefined for all of the account. */
export interface KeyScope {
  readonly keysOf: number | undefined;
}

export function scopeOf(caller: Caller, permission: Permission): KeyScope {
  return { keysOf: checkPermission(caller, permission) === 'own' ? caller.id : undefined };
}

/**
 * Routes that use it take the option `permission`, and then get `caller`, and `actor` for the audit log. Throws
 * GatewayError `invalid_token`, `role_required` or `access_denied`.
 */
export const authorized = (services: AdminServices) =>
  new Elysia()
    .use(accessTokens(services.config))
    .decorate('authority', services)
    .macro({
      // Elysia writes the result into the route's options, which all servers of a process share: it must not hold one's services.
      permission: (permission: Permission) => ({
        resolve: async ({ accessTokens, authority, headers, request, server, set }) => {
          const user = await authenticateUser(authority, accessTokens, headers.authorization);
          const caller = { ...user, ...scopeOf(user, permission) };
          const actor: Actor = {
            name: caller.email,
            userId: caller.id,
            address: callerAddress({ request, server }, authority.config),
            requestId: requestIdOf(set),
          };
          return { caller, actor };
        },
      }),
    });

/**
 * User, role and session are looked up for each request, so a changed role, a log-out or a new password takes effect
 * immediately. Throws GatewayError `invalid_token`.
 */
export async function authenticateUser(
  { database }: { readonly database: { readonly db: DbOrTransaction } },
  tokens: AccessTokens,
  authorization: string | undefined,
): Promise<Caller> {
  const { userId, sessionId, tokenExpiresAt } = await verifyAccessToken(tokens, authorization);
  const member = await findMember(database.db, userId);
  if (member === undefined) throw invalidToken('The user of this access token no longer exists.');
  if (await hasSessionEnded(database.db, sessionId)) throw invalidToken('This session has ended. Log in again.');
  return { ...member, sessionId, tokenExpiresAt };
}

async function findMember(db: DbOrTransaction, userId: number) {
  const [found] = await db
    .select({ user: users, organizationRole: memberships.role })
    .from(users)
    .innerJoin(memberships, and(eq(memberships.userId, users.id), eq(memberships.accountId, users.accountId)))
    .where(and(eq(users.id, userId), isNull(users.deletedAt)));
  return found && { ...found.user, organizationRole: found.organizationRole };
}

async function hasSessionEnded(db: DbOrTransaction, sessionId: string): Promise<boolean> {
  const revoked = await db
    .select({ id: refreshTokens.id })
    .from(refreshTokens)
    .where(and(eq(refreshTokens.family, sessionId), isNotNull(refreshTokens.revokedAt)))
    .limit(1);
  return revoked.length > 0;
}
