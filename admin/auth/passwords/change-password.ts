/** Lets a logged-in user change their password. */
import { GatewayError } from '../../../shared/errors.ts';
import type { Language } from '../../../shared/languages.ts';
import type { Db } from '../../database/connect.ts';
import type { Caller } from '../authorize.ts';
import type { LoginProtection } from '../login-protection.ts';
import { confirmPassword } from './confirm-password.ts';
import { checkPassword } from './password-rules.ts';
import { setPassword } from './set-password.ts';

interface PasswordChange {
  readonly caller: Caller;
  readonly password: string;
  readonly newPassword: string;
  readonly address: string;
  readonly language: Language;
}

/** Throws GatewayError `invalid_parameter`, `wrong_password`, `too_many_attempts` or `overloaded`. */
export async function changePassword(
  { db, protection }: { db: Db; protection: LoginProtection },
  { caller, password, newPassword, address, language }: PasswordChange,
): Promise<void> {
  checkPassword(newPassword, { email: caller.email, param: 'new_password' });
  if (newPassword === password) {
    throw new GatewayError('invalid_parameter', 'The new password must differ from the current one.', {
      param: 'new_password',
    });
  }
  await confirmPassword(protection, { user: caller, password, address });
  const passwordHash = await protection.passwords.hash(newPassword);
  const { sessionId: exceptSessionId, passwordHash: currentHash } = caller;
  const change = { user: caller, passwordHash, language, exceptSessionId, currentHash };
  await db.transaction((transaction) => setPassword(transaction, change));
}
