/** Takes a mailed link as the proof of an address: the user's own, or the one that he wants to have instead. */
import { eq, sql } from 'drizzle-orm';
import { GatewayError } from '../../shared/errors.ts';
import { users } from '../../shared/tables/accounts.ts';
import type { Db } from '../database/connect.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';
import { invalidLink } from './invalid-link.ts';
import { useMailToken, voidMailTokens } from './mail-tokens.ts';

/** Returns the address. Throws GatewayError `invalid_link`, or `email_taken` where somebody was faster. */
export async function verifyEmail(db: Db, token: string): Promise<string> {
  try {
    return await db.transaction(async (transaction) => {
      const proof = await useMailToken(transaction, 'verify_email', token);
      if (proof === undefined) throw invalidLink();
      const [user] = await transaction.select().from(users).where(eq(users.id, proof.userId)).for('no key update');
      if (user === undefined) throw new Error(`a mail token of nobody: user ${proof.userId}`);
      const verified = { emailVerifiedAt: sql`now()` };
      if (user.email === proof.email) {
        await transaction.update(users).set(verified).where(eq(users.id, user.id));
      } else if (user.pendingEmail === proof.email) {
        const change = { ...verified, email: proof.email, pendingEmail: null };
        await transaction.update(users).set(change).where(eq(users.id, user.id));
        // They were mailed to an address that is not his any more.
        await voidMailTokens(transaction, { userId: user.id, purpose: 'reset_password' });
      } else {
        throw invalidLink();
      }
      return proof.email;
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'users_email_unique')) throw error;
    throw new GatewayError('email_taken', 'Meanwhile this e-mail address has got an account of its own.');
  }
}
