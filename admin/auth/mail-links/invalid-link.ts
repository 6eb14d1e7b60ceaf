/** What everybody is told whose link does not work, whyever: how it once worked is not told to strangers. */
import { GatewayError } from '../../../shared/errors.ts';

export function invalidLink(): GatewayError {
  return new GatewayError('invalid_link', 'This link does not work any more. Ask for a new one.', { param: 'token' });
}
