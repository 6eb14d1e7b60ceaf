/**
 * Gives a user a new password, and tells them by mail. Nobody who knew the old one stays in: their sessions have ended,
 * and so has a change of the address that they asked for.
 */
import { and, eq, isNull } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import { users } from '../../../shared/tables/accounts.ts';
import type { DbOrTransaction } from '../../database/connect.ts';
import type { Language } from '../../http/request/preferred-language.ts';
import { queueMail } from '../../mail/queue/queue-mail.ts';
import type { User } from '../create-user.ts';
import { voidMailTokens } from '../mail-links/mail-tokens.ts';
import { revokeSessions } from '../sessions/revoke-sessions.ts';

interface NewPassword {
  readonly user: Pick<User, 'id' | 'accountId' | 'email'>;
  readonly passwordHash: string;
  readonly language: Language;
  /** The session that asks for it, which goes on. */
  readonly exceptSessionId?: string;
  /** Of the password that allowed it. Hashing takes a while, and a password that was set in the meantime stays. */
  readonly currentHash?: string;
  /** By the link that allowed it, for the mail. */
  readonly keysDeactivated?: number;
}

/** Throws GatewayError `wrong_password` where the password is no longer the one that allowed it. */
export async function setPassword(transaction: DbOrTransaction, order: NewPassword): Promise<void> {
  const { user, passwordHash, language, exceptSessionId, currentHash, keysDeactivated = 0 } = order;
  // The user's row first: a log-in that is under way holds it while it begins its session.
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
  const { email: to, accountId } = user;
  await queueMail(transaction, { kind: 'password_changed', to, language, accountId, data });
}
