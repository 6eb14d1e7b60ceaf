/** Which passwords are accepted. Length matters, composition rules do not (NIST SP 800-63B §5.1.1.2). */
import { GatewayError } from '../../../shared/errors.ts';
import { isCommonPassword } from './common-passwords.ts';

export const passwordMinLength = 12;
export const passwordMaxLength = 256;

/** Throws GatewayError `invalid_parameter` with a message that never repeats the password. */
export function checkPassword(password: string, options: { email: string; param: string }): void {
  const problem = findProblem(password, options.email);
  if (problem !== undefined) throw new GatewayError('invalid_parameter', problem, { param: options.param });
}

function findProblem(password: string, email: string): string | undefined {
  if (password.length < passwordMinLength) return `The password must have at least ${passwordMinLength} characters.`;
  if (password.length > passwordMaxLength) return `The password must have at most ${passwordMaxLength} characters.`;
  if (password.trim().toLowerCase() === email.toLowerCase()) return 'The password must differ from the e-mail address.';
  if (isCommonPassword(password)) return 'This password is too easy to guess. Choose another one.';
  return undefined;
}
