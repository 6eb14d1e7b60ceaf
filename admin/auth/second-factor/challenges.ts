/**
 * Challenges: what someone has to answer with a code or a passkey, within five minutes. Ten wrong codes end a challenge, and all of
 * a user's wrong codes of a day together are limited, because codes of six digits can be guessed by who has the password.
 */
import { and, eq, gt, isNull, lt, sql } from 'drizzle-orm';
import { GatewayError } from '../../../shared/errors.ts';
import type { DbOrTransaction, Transaction } from '../../database/connect.ts';
import { factorChallenges } from '../../database/tables/sign-in.ts';
import { generateToken, hashToken } from '../sessions/secret-token.ts';
import { tooManyAttempts } from '../throttle/throttle.ts';

export const challengeLifeMs = 5 * 60_000;
export const wrongCodesMax = 10;
export const wrongCodesDayMax = 50;
const retryAfterMs = 3600_000;

export type Challenge = typeof factorChallenges.$inferSelect;
type NewChallenge = Pick<Challenge, 'userId' | 'purpose'> &
  Partial<Pick<Challenge, 'passwordHash' | 'sessionId' | 'usedAt'>>;

export interface IssuedChallenge {
  /** What answers it names it by. */
  readonly challenge: string;
  /** What an authenticator signs. */
  readonly webauthnChallenge: string;
  readonly expiresAt: Date;
}

export async function issueChallenge(db: DbOrTransaction, input: NewChallenge): Promise<IssuedChallenge> {
  const [challenge, webauthnChallenge] = [generateToken(), generateToken()];
  const expiresAt = new Date(Date.now() + challengeLifeMs);
  await db.insert(factorChallenges).values({ ...input, tokenHash: hashToken(challenge), webauthnChallenge, expiresAt });
  return { challenge, webauthnChallenge, expiresAt };
}

/** It stays usable. Throws GatewayError `challenge_expired`. */
export async function findChallenge(
  db: DbOrTransaction,
  purpose: Challenge['purpose'],
  token: string,
): Promise<Challenge> {
  const [found] = await db.select().from(factorChallenges).where(usable(purpose, token));
  if (found === undefined) throw challengeExpired();
  return found;
}

/** The user is locked before: deletions take the locks in this order. Throws GatewayError `challenge_expired`. */
export async function lockChallenge(
  transaction: Transaction,
  purpose: Challenge['purpose'],
  token: string,
): Promise<Challenge> {
  const [locked] = await transaction.select().from(factorChallenges).where(usable(purpose, token)).for('update');
  if (locked === undefined) throw challengeExpired();
  return locked;
}

/** Throws GatewayError `challenge_expired` for a challenge of someone else. */
export function refuseForeign({ userId }: Challenge, ownId: number): void {
  if (userId !== ownId) throw challengeExpired();
}

/** `sessionId`: the session that begins with the answer, or is confirmed by it. */
export async function endChallenge(transaction: Transaction, id: number, sessionId: string | null): Promise<void> {
  await transaction.update(factorChallenges).set({ usedAt: sql`now()`, sessionId }).where(eq(factorChallenges.id, id));
}

export async function countWrongCode(transaction: Transaction, id: number): Promise<void> {
  await transaction
    .update(factorChallenges)
    .set({ attempts: sql`${factorChallenges.attempts} + 1` })
    .where(eq(factorChallenges.id, id));
}

/** Throws GatewayError `too_many_attempts`. The user is locked. */
export async function refuseGuessing(transaction: Transaction, userId: number): Promise<void> {
  const [row] = await transaction
    .select({ attempts: sql<number>`coalesce(sum(${factorChallenges.attempts}), 0)`.mapWith(Number) })
    .from(factorChallenges)
    .where(and(eq(factorChallenges.userId, userId), gt(factorChallenges.createdAt, sql`now() - interval '1 day'`)));
  if (row !== undefined && row.attempts >= wrongCodesDayMax) throw tooManyCodes();
}

const usable = (purpose: Challenge['purpose'], token: string) =>
  and(
    eq(factorChallenges.tokenHash, hashToken(token)),
    eq(factorChallenges.purpose, purpose),
    isNull(factorChallenges.usedAt),
    lt(factorChallenges.attempts, wrongCodesMax),
    gt(factorChallenges.expiresAt, sql`now()`),
  );

export const challengeExpired = () =>
  new GatewayError('challenge_expired', 'This took too long, or had too many wrong codes. Begin again.', {
    param: 'challenge',
  });

export const codesRefusal =
  'Too many wrong codes today. Use a passkey or a recovery code, or try again later with a code from your app.';

export const tooManyCodes = () => tooManyAttempts(codesRefusal, retryAfterMs);
