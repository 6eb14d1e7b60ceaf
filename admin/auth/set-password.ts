/** Gives a user a new password, and tells him. Whoever got in with the old one is out. */
import { eq } from 'drizzle-orm';
import { users } from '../../shared/tables/accounts.ts';
import type { DbOrTransaction } from '../database/connect.ts';
import type { Language } from '../http/preferred-language.ts';
import { queueMail } from '../mail/queue-mail.ts';
import type { User } from './create-user.ts';
import { voidMailTokens } from './mail-tokens.ts';
import { revokeSessions } from './revoke-sessions.ts';

interface NewPassword {
  readonly user: Pick<User, 'id' | 'email'>;
  readonly passwordHash: string;
  readonly language: Language;
  /** The session that asks for it, which goes on. */
  readonly exceptSessionId?: string;
}

export async function setPassword(transaction: DbOrTransaction, order: NewPassword): Promise<void> {
  const { user, passwordHash, language, exceptSessionId } = order;
  // The user's row first: a log-in that is under way holds it while it begins its session.
  await transaction.update(users).set({ passwordHash }).where(eq(users.id, user.id));
  await revokeSessions(transaction, { userId: user.id, ...(exceptSessionId !== undefined && { exceptSessionId }) });
  await voidMailTokens(transaction, { userId: user.id, purpose: 'reset_password' });
  const data = { changedAt: new Date().toISOString() };
  await queueMail(transaction, { kind: 'password_changed', to: user.email, language, data });
}
