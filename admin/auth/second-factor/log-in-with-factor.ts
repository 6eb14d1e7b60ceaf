/**
 * Log-ins of people with a second factor. Their right password gets them a challenge instead of tokens; its answer begins the
 * session. A passkey that has verified its user replaces the password too.
 */
import { GatewayError } from '../../../shared/errors.ts';
import type { Language } from '../../../shared/languages.ts';
import type { Db, DbOrTransaction } from '../../database/connect.ts';
import type { SessionClient } from '../../http/request/caller-address.ts';
import type { User } from '../create-user.ts';
import { lockUser } from '../find-user.ts';
import { chooseOrganization } from '../sessions/choose-organization.ts';
import { type IssuedToken, issueRefreshToken } from '../sessions/refresh-tokens.ts';
import {
  type Challenge,
  challengeExpired,
  countWrongCode,
  endChallenge,
  findChallenge,
  type IssuedChallenge,
  issueChallenge,
  lockChallenge,
} from './challenges.ts';
import { readFactors, wrongCode } from './factors.ts';
import { findPasskey } from './passkeys.ts';
import { isProven, type Proof, type ProofServices } from './prove.ts';

interface Answer {
  readonly challenge: string;
  readonly proof: Proof;
  readonly client: SessionClient;
  readonly language: Language;
}

/** Throws GatewayError `second_factor_required` for those who have one; their password was right. */
export async function requireFactor(db: DbOrTransaction, user: User): Promise<void> {
  if (user.secondFactorAt === null) return;
  const { id: userId, passwordHash } = user;
  const issued = await issueChallenge(db, { purpose: 'log_in', userId, passwordHash });
  const { appSince, passkeys, recoveryCodesLeft } = await readFactors(db, userId);
  const methods = [
    ...(appSince === null ? [] : ['app']),
    ...(passkeys.length === 0 ? [] : ['passkey']),
    ...(recoveryCodesLeft === 0 ? [] : ['recovery_code']),
  ];
  throw secondFactorRequired(issued, methods);
}

/**
 * Throws GatewayError `challenge_expired`, `invalid_second_factor`, `too_many_attempts`, `account_blocked`, and
 * `invalid_credentials` if the password was changed since it was right.
 */
export async function logInWithFactor(
  db: Db,
  services: ProofServices,
  { challenge: token, proof, client, language }: Answer,
): Promise<{ readonly user: User; readonly issued: IssuedToken }> {
  const found = await findChallenge(db, 'log_in', token);
  const userId = found.userId ?? (await ownerOfPasskey(db, proof));
  const loggedIn = await db.transaction(async (transaction) => {
    const user = userId === undefined ? undefined : await lockUser(transaction, userId);
    const challenge = await lockChallenge(transaction, 'log_in', token);
    const isRight = user !== undefined && (await isProven(transaction, services, { user, challenge, proof, language }));
    if (!isRight) {
      await countWrongCode(transaction, challenge.id);
      return undefined;
    }
    const accountId = await chooseOrganization(transaction, user);
    const known = { ...user, passwordHash: challenge.passwordHash ?? user.passwordHash };
    const issued = await issueRefreshToken(transaction, { user: known, accountId, client });
    await endChallenge(transaction, challenge.id, issued.sessionId);
    return { user, issued };
  });
  if (loggedIn === undefined) throw wrongProof(proof);
  return loggedIn;
}

/** What a passkey signs to log in, with a password that was right or without one. Throws GatewayError `challenge_expired`. */
export async function challengeForPasskey(
  db: DbOrTransaction,
  token: string | undefined,
): Promise<IssuedChallenge & Pick<Challenge, 'userId'>> {
  if (token === undefined) return { ...(await issueChallenge(db, { purpose: 'log_in', userId: null })), userId: null };
  const { userId, webauthnChallenge, expiresAt } = await findChallenge(db, 'log_in', token);
  return { challenge: token, userId, webauthnChallenge, expiresAt };
}

/** A code alone is nobody's. */
async function ownerOfPasskey(db: Db, proof: Proof): Promise<number | undefined> {
  if (!('passkey' in proof)) throw challengeExpired();
  return (await findPasskey(db, proof.passkey.id))?.userId;
}

export const wrongProof = (proof: Proof) => ('passkey' in proof ? wrongPasskey() : wrongCode());

export const wrongPasskey = () =>
  new GatewayError('invalid_second_factor', 'This passkey is unknown here, or its answer is invalid.', {
    param: 'passkey',
  });

export const secondFactorRequired = (
  { challenge, expiresAt }: Omit<IssuedChallenge, 'webauthnChallenge'>,
  methods: readonly string[],
) =>
  new GatewayError('second_factor_required', 'Send a code or a passkey to POST /api/auth/login/second-factor.', {
    details: { challenge, expiresAt: expiresAt.toISOString(), methods: methods.join(',') },
  });
