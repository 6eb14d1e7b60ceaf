/**
 * Asks someone who is logged in to prove again who they are, because a stolen access token must not be enough to change how they
 * log in: by their second factor, or without one by their password. A session is confirmed for ten minutes.
 */
import { and, eq, gt, sql } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { Language } from '../../../shared/languages.ts';
import type { Db, DbOrTransaction } from '../../database/connect.ts';
import { factorChallenges } from '../../database/tables/sign-in.ts';
import type { Caller } from '../authorize.ts';
import { lockUser } from '../find-user.ts';
import type { LoginProtection } from '../login-protection.ts';
import { confirmPassword } from '../passwords/confirm-password.ts';
import { sessionEnded } from '../sessions/access-tokens.ts';
import { countWrongCode, endChallenge, issueChallenge, lockChallenge, refuseForeign } from './challenges.ts';
import { wrongProof } from './log-in-with-factor.ts';
import { isProven, type Proof, type ProofServices } from './prove.ts';

export const confirmedMinutes = 10;

interface Confirmation {
  readonly caller: Caller;
  readonly proof: Proof;
  /** Of a passkey. */
  readonly challenge: string | undefined;
  readonly language: Language;
}

/** Throws GatewayError `confirmation_required`. */
export async function requireConfirmed(db: DbOrTransaction, { sessionId }: Pick<Caller, 'sessionId'>): Promise<void> {
  const [confirmed] = await db
    .select({ id: factorChallenges.id })
    .from(factorChallenges)
    .where(
      and(
        eq(factorChallenges.sessionId, sessionId),
        gt(factorChallenges.usedAt, sql`now() - ${confirmedMinutes} * interval '1 minute'`),
      ),
    )
    .limit(1);
  if (confirmed === undefined) throw confirmationRequired();
}

/** For those without a second factor. Throws GatewayError `wrong_password`, `too_many_attempts` or `overloaded`. */
export async function confirmByPassword(
  db: Db,
  protection: LoginProtection,
  { caller, password, address }: { caller: Caller; password: string; address: string },
): Promise<void> {
  await confirmPassword(protection, { user: caller, password, address });
  await db.transaction(async (transaction) => {
    const user = await lockUser(transaction, caller.id);
    if (user === undefined) throw sessionEnded();
    // It may have got one since.
    if (user.secondFactorAt !== null) throw factorNeeded();
    const { id: userId, sessionId } = caller;
    await issueChallenge(transaction, { purpose: 'confirm', userId, sessionId, usedAt: new Date() });
  });
}

/** Throws GatewayError `invalid_second_factor`, `too_many_attempts`, and `challenge_expired` for a passkey. */
export async function confirmByFactor(
  db: Db,
  services: ProofServices,
  { caller, proof, challenge: token, language }: Confirmation,
): Promise<void> {
  const isRight = await db.transaction(async (transaction) => {
    const user = await lockUser(transaction, caller.id);
    if (user === undefined) throw sessionEnded();
    const named = token ?? (await issueChallenge(transaction, { purpose: 'confirm', userId: user.id })).challenge;
    const challenge = await lockChallenge(transaction, 'confirm', named);
    refuseForeign(challenge, user.id);
    const isRight = await isProven(transaction, services, { user, challenge, proof, language });
    if (isRight) await endChallenge(transaction, challenge.id, caller.sessionId);
    else await countWrongCode(transaction, challenge.id);
    return isRight;
  });
  if (!isRight) throw wrongProof(proof);
}

export const confirmationRequired = () =>
  new GatewayError('confirmation_required', 'Confirm who you are first, with POST /api/profile/confirm.');

export const factorNeeded = () =>
  new GatewayError('second_factor_required', 'You have a second factor: confirm with a code or a passkey.');
