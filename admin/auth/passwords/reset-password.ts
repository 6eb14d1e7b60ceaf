/** Sets a new password with a mailed link. It proves the address as well. */
import { eq, sql } from 'drizzle-orm';
import { users } from '../../../shared/tables/accounts.ts';
import type { Db } from '../../database/connect.ts';
import type { Language } from '../../http/request/preferred-language.ts';
import { findUserById } from '../find-user.ts';
import type { Gate } from '../gate.ts';
import { acceptProof } from '../mail-links/accept-proof.ts';
import { findMailToken, invalidLink, useMailToken } from '../mail-links/mail-tokens.ts';
import { checkPassword } from './password-rules.ts';
import { setPassword } from './set-password.ts';

interface Reset {
  readonly token: string;
  readonly password: string;
  readonly language: Language;
  /** Where it comes from, for the throttle. */
  readonly address: string;
}

/**
 * Returns the account. Throws GatewayError `invalid_link`, `invalid_parameter` or `overloaded`; the link stays good after
 * the last two.
 */
export async function resetPassword(
  { db, gate }: { db: Db; gate: Gate },
  { token, password, language, address }: Reset,
): Promise<number> {
  // Hashing costs much, so strangers without a link do not get that far.
  const found = await findMailToken(db, 'reset_password', token);
  const user = found && (await findUserById(db, found.userId));
  if (user === undefined) throw invalidLink();
  checkPassword(password, { email: user.email, param: 'new_password' });
  const passwordHash = await gate.passwords.hash(password);
  await db.transaction(async (transaction) => {
    // The user before his tokens: two links of his that are followed at once would wait for each other.
    const [locked] = await transaction.select().from(users).where(eq(users.id, user.id)).for('no key update');
    const proof = await useMailToken(transaction, 'reset_password', token);
    if (proof === undefined || proof.email !== locked?.email) throw invalidLink();
    const { keysDeactivated } = await acceptProof(transaction, { user, purpose: 'reset_password' });
    await setPassword(transaction, { user, passwordHash, language, keysDeactivated });
    const verified = { emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, now())` };
    await transaction.update(users).set(verified).where(eq(users.id, user.id));
  });
  // Access to the user's mailbox proves more than a password does.
  await gate.logins.right({ email: user.email, address });
  return user.accountId;
}
