/**
 * Asks a logged-in user for their password again, because a stolen access token must not be enough for what follows.
 */
import { GatewayError } from '../../../shared/errors.ts';
import type { User } from '../create-user.ts';
import type { LoginProtection } from '../login-protection.ts';

interface Confirmation {
  readonly user: Pick<User, 'email' | 'passwordHash'>;
  readonly password: string;
  readonly address: string;
}

/** Throws GatewayError `wrong_password`, `too_many_attempts` or `overloaded`. Guesses count like those at log-in. */
export async function confirmPassword(
  { passwords, logins }: LoginProtection,
  { user, password, address }: Confirmation,
): Promise<void> {
  const guess = { email: user.email, address };
  await logins.begin(guess);
  const matches = await passwords.verify(password, user.passwordHash).catch(async (error: unknown) => {
    await logins.cancelled(guess);
    throw error;
  });
  if (!matches) throw wrongPassword();
  await logins.succeeded(guess);
}

export function wrongPassword(): GatewayError {
  return new GatewayError('wrong_password', 'The current password is wrong.', { param: 'current_password' });
}
