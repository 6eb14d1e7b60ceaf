/**
 * What a followed link proves about the owner of an account, and what it ends.
 *
 * Anyone can sign up with someone else's address, create keys, and wait until the owner of the address verifies it or
 * resets the password, and pays. So the proof ends everything that may have been created by someone other than the reader
 * of the mail: sessions, API keys of both kinds, links mailed before, additional alert addresses, a pending change of the
 * address, and second factors, with which someone could log in without the password.
 */
import { eq } from 'drizzle-orm';
import type { Transaction } from '../../database/connect.ts';
import { lockAccount } from '../../database/rows/lock-account.ts';
import { accounts, users } from '../../database/tables/accounts.ts';
import { alertAddresses } from '../../database/tables/notifications.ts';
import { deactivateKeysOf } from '../../keys/change-key.ts';
import type { User } from '../create-user.ts';
import { forgetFactors } from '../second-factor/factors.ts';
import { revokeSessions } from '../sessions/revoke-sessions.ts';
import { voidMailTokens } from './mail-tokens.ts';

interface Proof {
  /** Locked by the caller. */
  readonly user: Pick<User, 'id' | 'homeAccountId'>;
  /** What the link is for. */
  readonly purpose: 'verify_address' | 'change_address' | 'reset_password';
  /** The user's own session in which the link was followed: the reader of the mail knows the password. */
  readonly sessionId?: string | undefined;
}

interface ProofOutcome {
  /** False if everything was made by the person who followed the link, so that all of it stays. */
  readonly ended: boolean;
  readonly keysDeactivated: number;
}

/** The session in which the link was followed continues. Keys stop working once the outbox is delivered. */
export async function acceptProof(
  transaction: Transaction,
  { user, purpose, sessionId }: Proof,
): Promise<ProofOutcome> {
  const { ownership } = await lockAccount(transaction, user.homeAccountId);
  const keepsEverything =
    sessionId === undefined ? ownership === 'proven' && purpose !== 'change_address' : ownership !== 'unproven';
  const isProven = keepsEverything || sessionId !== undefined || purpose === 'reset_password';
  await transaction
    .update(accounts)
    .set({ ownership: isProven ? 'proven' : 'uncertain' })
    .where(eq(accounts.id, user.homeAccountId));
  if (keepsEverything) return { ended: false, keysDeactivated: 0 };
  await transaction.update(users).set({ pendingEmail: null }).where(eq(users.id, user.id));
  // Otherwise they are the user's own: a new address, or a forgotten password, is no way around them.
  if (ownership === 'unproven') await forgetFactors(transaction, [user.id]);
  await voidMailTokens(transaction, { userId: user.id, purpose: 'verify_email' });
  await voidMailTokens(transaction, { userId: user.id, purpose: 'reset_password' });
  await transaction.delete(alertAddresses).where(eq(alertAddresses.accountId, user.homeAccountId));
  await revokeSessions(transaction, {
    userId: user.id,
    ...(sessionId !== undefined && { exceptSessionId: sessionId }),
  });
  return { ended: true, keysDeactivated: await deactivateKeysOf(transaction, user.homeAccountId) };
}
