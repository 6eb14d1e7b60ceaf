/** Accepts a mailed link as proof of an address: the user's current one, or the one they want to change to. */
import { eq, sql } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Language } from '../../../shared/languages.ts';
import type { Db, Transaction } from '../../database/connect.ts';
import { isUniqueViolation } from '../../database/errors.ts';
import { users } from '../../database/tables/accounts.ts';
import { queueMail } from '../../mail/queue/queue-mail.ts';
import type { Caller } from '../authorize.ts';
import type { User } from '../create-user.ts';
import { acceptProof } from './accept-proof.ts';
import { findMailToken, invalidLink, useMailToken, voidMailTokens } from './mail-tokens.ts';

interface Verification {
  readonly token: string;
  /** Who is logged in where the link was followed; possibly not the user that it was mailed to. */
  readonly caller: Pick<Caller, 'id' | 'sessionId'> | undefined;
  readonly language: Language;
}

export interface VerifiedAddress {
  readonly userId: number;
  readonly email: string;
  readonly keysDeactivated: number;
}

/** Throws GatewayError `invalid_link`, or `email_taken` if another user has taken the address first. */
export async function verifyEmail(db: Db, verification: Verification): Promise<VerifiedAddress> {
  try {
    return await db.transaction((transaction) => verify(transaction, verification));
  } catch (error) {
    if (!isUniqueViolation(error, 'users_email_unique')) throw error;
    throw emailTakenSince();
  }
}

async function verify(transaction: Transaction, { token, caller, language }: Verification): Promise<VerifiedAddress> {
  const user = await lockUserOf(transaction, token);
  const proof = await useMailToken(transaction, 'verify_email', token);
  if (user === undefined || proof === undefined) throw invalidLink();
  const changesAddress = user.email !== proof.email;
  if (changesAddress && user.pendingEmail !== proof.email) throw invalidLink();
  const change = changesAddress && { email: proof.email, pendingEmail: null };
  await transaction
    .update(users)
    .set({ emailVerifiedAt: sql`now()`, ...change })
    .where(eq(users.id, user.id));
  // They were mailed to an address that is no longer the user's.
  if (changesAddress) await voidMailTokens(transaction, { userId: user.id, purpose: 'reset_password' });
  const sessionId = caller?.id === user.id ? caller.sessionId : undefined;
  const purpose = changesAddress ? 'change_address' : 'verify_address';
  const { ended, keysDeactivated } = await acceptProof(transaction, { user, purpose, sessionId });
  if (ended && (keysDeactivated > 0 || sessionId === undefined)) {
    const data = { verifiedAt: new Date().toISOString(), keysDeactivated };
    const { homeAccountId: accountId } = user;
    await queueMail(transaction, { kind: 'address_verified', to: proof.email, language, accountId, data });
  }
  return { userId: user.id, email: proof.email, keysDeactivated };
}

/** Locks the user before the token: otherwise two links of one user followed at the same time would deadlock. */
async function lockUserOf(transaction: Transaction, token: string): Promise<User | undefined> {
  const found = await findMailToken(transaction, 'verify_email', token);
  if (found === undefined) return undefined;
  const [user] = await transaction.select().from(users).where(eq(users.id, found.userId)).for('no key update');
  return user;
}

export function emailTakenSince(): GatewayError {
  return new GatewayError('email_taken', 'This e-mail address now belongs to another account.');
}
