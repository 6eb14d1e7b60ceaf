/** Creates a customer and mails them a verification link, both or neither. */
import { GatewayError } from '../../shared/errors.ts';
import type { Language } from '../../shared/languages.ts';
import type { Db } from '../database/connect.ts';
import { chooseLanguage } from '../database/rows/notification-settings.ts';
import { createUser, type NewUser, type User } from './create-user.ts';
import type { LoginProtection } from './login-protection.ts';
import { mailLink } from './mail-links/mail-link.ts';
import { notifyOwner } from './mail-links/notify-owner.ts';

interface SignUp extends Pick<NewUser, 'email' | 'displayName'> {
  readonly password: string;
  readonly language: Language;
  readonly publicUrl: string;
  /** The client's address. */
  readonly address: string;
}

/**
 * Throws GatewayError `email_taken`, so rarely for one client that it does not reveal who has an account, and
 * then notifies the owner; `too_many_attempts`, `overloaded`.
 */
export async function signUp(
  { db, protection }: { db: Db; protection: LoginProtection },
  input: SignUp,
): Promise<User> {
  const { email, address } = input;
  await protection.requests.countSignUp({ to: email, address });
  try {
    const user = await create(db, { ...input, passwordHash: await protection.passwords.hash(input.password) });
    await protection.requests.addressWasFree(address);
    return user;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'email_taken') {
      await notifyOwner({ db, protection }, { email, attempt: 'sign_up' });
    } else {
      await protection.requests.addressWasFree(address);
    }
    throw error;
  }
}

function create(db: Db, input: SignUp & Pick<NewUser, 'passwordHash'>): Promise<User> {
  const { email, passwordHash, displayName, language, publicUrl } = input;
  return db.transaction(async (transaction) => {
    const person = { email, passwordHash, displayName, role: 'customer', ownership: 'unproven' } as const;
    const user = await createUser(transaction, person);
    const { id: userId, homeAccountId: accountId, email: to } = user;
    await chooseLanguage(transaction, accountId, language);
    await mailLink(transaction, { purpose: 'verify_email', userId, accountId, to, language, publicUrl });
    return user;
  });
}

export const signUpClosed = () => new GatewayError('registration_closed', 'Sign-up is closed.');
