/** Log-ins: with a password, and with a second factor after it, or with a passkey alone. */
import { call, publicApi } from '../../app/api/api.ts';
import { callInDetail, DetailedError } from '../../app/api/detailed-call.ts';
import type { FactorMethod } from '../../app/second-factor/factor-form.tsx';
import { signWithPasskey } from '../../app/second-factor/passkeys.ts';
import { session } from '../../app/session/session.ts';
import type { Credentials } from '../sign-in-form.tsx';

/** What a right password gets whose user has a second factor. */
export interface Challenge {
  readonly challenge: string;
  readonly methods: readonly FactorMethod[];
}

/** Begins the session, or resolves with what is missing. Throws ApiError. */
export async function logIn(body: Credentials): Promise<Challenge | undefined> {
  try {
    session.begin(await callInDetail(publicApi.POST('/api/auth/login', { body })));
    return undefined;
  } catch (error) {
    const challenge = challengeOf(error);
    if (challenge === undefined) throw error;
    return challenge;
  }
}

export async function answerWithCode(challenge: string, code: string): Promise<void> {
  session.begin(await call(publicApi.POST('/api/auth/login/second-factor', { body: { challenge, code } })));
}

/** Without a challenge, the passkey replaces the password too. Throws ApiError and PasskeyNotUsed. */
export async function answerWithPasskey(former?: string): Promise<void> {
  const body = former === undefined ? {} : { challenge: former };
  const { challenge, options } = await call(publicApi.POST('/api/auth/login/passkey', { body }));
  const passkey = await signWithPasskey(options);
  session.begin(await call(publicApi.POST('/api/auth/login/second-factor', { body: { challenge, passkey } })));
}

const methods: readonly string[] = ['app', 'passkey', 'recovery_code'] satisfies FactorMethod[];

function challengeOf(error: unknown): Challenge | undefined {
  if (!(error instanceof DetailedError) || error.code !== 'second_factor_required') return undefined;
  const { challenge, methods: named } = error.details;
  if (typeof challenge !== 'string' || typeof named !== 'string') return undefined;
  return { challenge, methods: named.split(',').filter(isMethod) };
}

/** Later servers may have others. */
const isMethod = (name: string): name is FactorMethod => methods.includes(name);
