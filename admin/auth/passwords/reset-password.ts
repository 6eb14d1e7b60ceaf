/** Sets a new password with a mailed link, which also proves the address. */
import { eq, sql } from 'drizzle-orm';
import type { Language } from '../../../shared/languages.ts';
import type { Db } from '../../database/connect.ts';
import { users } from '../../database/tables/accounts.ts';
import { findUserById } from '../find-user.ts';
import type { LoginProtection } from '../login-protection.ts';
import { acceptProof } from '../mail-links/accept-proof.ts';
import { findMailToken, invalidLink, useMailToken } from '../mail-links/mail-tokens.ts';
import { checkPassword } from './password-rules.ts';
import { setPassword } from './set-password.ts';

interface Reset {
  readonly token: string;
  readonly password: string;
  readonly language: Language;
  /** The client's address, for the throttle. */
  readonly address: string;
}

/**
 * Returns the user's id. Throws GatewayError `invalid_link`, `invalid_parameter` or `overloaded`; after the last two the
 * link is still valid.
 */
export async function resetPassword(
  { db, protection }: { db: Db; protection: LoginProtection },
  { token, password, language, address }: Reset,
): Promise<number> {
  // Hashing is expensive, so the link is checked first.
  const found = await findMailToken(db, 'reset_password', token);
  const user = found && (await findUserById(db, found.userId));
  if (user === undefined) throw invalidLink();
  checkPassword(password, { email: user.email, param: 'new_password' });
  const passwordHash = await protection.passwords.hash(password);
  await db.transaction(async (transaction) => {
    // The user is locked before their tokens: otherwise two links followed at the same time would deadlock.
    const [locked] = await transaction.select().from(users).where(eq(users.id, user.id)).for('no key update');
    const proof = await useMailToken(transaction, 'reset_password', token);
    if (proof === undefined || proof.email !== locked?.email) throw invalidLink();
    const { keysDeactivated } = await acceptProof(transaction, { user, purpose: 'reset_password' });
    await setPassword(transaction, { user, passwordHash, language, keysDeactivated });
    const verified = { emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, now())` };
    await transaction.update(users).set(verified).where(eq(users.id, user.id));
  });
  // Access to the user's mailbox proves more than a password does.
  await protection.logins.succeeded({ email: user.email, address });
  return user.id;
}
