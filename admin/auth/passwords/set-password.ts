/**
 * Sets a user's new password and notifies them by mail. No one who knew the old one keeps access: the user's sessions
 * end, and a pending change of the address is cancelled.
 */
import { and, eq, isNull } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Language } from '../../../shared/languages.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import { users } from '../../database/tables/accounts.ts';
import { queueMail } from '../../mail/queue/queue-mail.ts';
import type { User } from '../create-user.ts';
import { voidMailTokens } from '../mail-links/mail-tokens.ts';
import { revokeSessions } from '../sessions/revoke-sessions.ts';

interface NewPassword {
  readonly user: Pick<User, 'id' | 'homeAccountId' | 'email'>;
  readonly passwordHash: string;
  readonly language: Language;
  /** The session that makes the change, which continues. */
  readonly exceptSessionId?: string;
  /** The hash that the current password was checked against. Hashing takes a while; a password set in the meantime wins. */
  readonly currentHash?: string;
  /** How many keys the password reset has deactivated, for the mail. */
  readonly keysDeactivated?: number;
}

/** Throws GatewayError `wrong_password` if the password has changed since it was checked. */
export async function setPassword(transaction: DbOrTransaction, input: NewPassword): Promise<void> {
  const { user, passwordHash, language, exceptSessionId, currentHash, keysDeactivated = 0 } = input;
  // The user's row first: a log-in in progress holds it while it begins its session.
  const changed = await transaction
    .update(users)
    .set({ passwordHash, pendingEmail: null })
    .where(
      and(
        eq(users.id, user.id),
        isNull(users.deletedAt),
        currentHash === undefined ? undefined : eq(users.passwordHash, currentHash),
      ),
    )
    .returning({ id: users.id });
  if (changed.length === 0) {
    throw new GatewayError('wrong_password', 'The password has just been changed.', { param: 'current_password' });
  }
  await revokeSessions(transaction, { userId: user.id, ...(exceptSessionId !== undefined && { exceptSessionId }) });
  await voidMailTokens(transaction, { userId: user.id, purpose: 'reset_password' });
  const data = { changedAt: new Date().toISOString(), keysDeactivated };
  const { email: to, homeAccountId: accountId } = user;
  await queueMail(transaction, { kind: 'password_changed', to, language, accountId, data });
}
