/** Checks what someone answers a challenge with: a code of their authenticator app, a recovery code, or a passkey. */
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import type { Language } from '../../../shared/languages.ts';
import type { Transaction } from '../../database/connect.ts';
import type { User } from '../create-user.ts';
import { takeAppCode } from './authenticator-app.ts';
import { type Challenge, refuseGuessing } from './challenges.ts';
import { mailChange } from './factors.ts';
import { type Site, takePasskey } from './passkeys.ts';
import { looksLikeRecoveryCode, useRecoveryCode } from './recovery-codes.ts';

export type Proof = { readonly code: string } | { readonly passkey: AuthenticationResponseJSON };

export interface ProofCheck {
  /** Locked. */
  readonly user: User;
  readonly challenge: Challenge;
  readonly proof: Proof;
  /** Of mails. */
  readonly language: Language;
}

export interface ProofServices {
  readonly site: Site;
  readonly keyPeppers: readonly string[];
}

/** A right one cannot be used again. Throws GatewayError `too_many_attempts`. */
export async function isProven(
  transaction: Transaction,
  { site, keyPeppers }: ProofServices,
  { user, challenge, proof, language }: ProofCheck,
): Promise<boolean> {
  const userId = user.id;
  if ('passkey' in proof) return takePasskey(transaction, site, { userId, challenge, response: proof.passkey });
  if (looksLikeRecoveryCode(proof.code)) {
    if (!(await useRecoveryCode(transaction, userId, proof.code))) return false;
    await mailChange(transaction, { user, language, change: 'code_used' });
    return true;
  }
  await refuseGuessing(transaction, userId);
  return takeAppCode(transaction, { userId, code: proof.code.replace(/\s/g, ''), keyPeppers, nowMs: Date.now() });
}
