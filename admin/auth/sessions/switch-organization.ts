/**
 * Moves a user to another of their organizations: their session ends, and another begins there. So whatever belongs to a session,
 * as the key of its playground, is in one organization.
 */
import { eq } from 'drizzle-orm';
import type { Db } from '../../database/connect.ts';
import { users } from '../../database/tables/accounts.ts';
import type { SessionClient } from '../../http/request/caller-address.ts';
import type { User } from '../create-user.ts';
import { refuseElsewhere } from '../sign-in-rule.ts';
import { sessionEnded } from './access-tokens.ts';
import { type IssuedToken, issueRefreshToken } from './refresh-tokens.ts';
import { revokeSession } from './revoke-sessions.ts';

interface Switch {
  readonly user: Pick<User, 'id' | 'homeAccountId' | 'passwordHash' | 'secondFactorAt'>;
  /** The session that ends. */
  readonly sessionId: string;
  /** The organization to go to, of which the user is a member. */
  readonly accountId: number;
  readonly client: SessionClient;
}

/**
 * Keys of the former session are refused once the outbox is delivered. Throws GatewayError `invalid_token` if the session or the
 * membership has ended in the meantime, and `other_organization` if it began with another organization's identity provider.
 */
export function switchOrganization(db: Db, { user, sessionId, accountId, client }: Switch): Promise<IssuedToken> {
  return db.transaction(async (transaction) => {
    // The user before their sessions: a new password takes the locks in this order.
    await transaction.update(users).set({ lastAccountId: accountId }).where(eq(users.id, user.id));
    const ended = await revokeSession(transaction, sessionId);
    if (ended?.ended !== true) throw sessionEnded();
    const { oidcAccountId } = ended;
    refuseElsewhere(oidcAccountId, accountId);
    return issueRefreshToken(transaction, { user, accountId, oidcAccountId, client, refusal: sessionEnded() });
  });
}
