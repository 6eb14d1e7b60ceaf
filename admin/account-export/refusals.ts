/** Why an account is not exported now. */
import { GatewayError } from '../../shared/errors.ts';

const retryAfterSeconds = 30;

export const exportsRefusal = 'Too many exports. Try again later.';

export const tooManyAtOnce = () =>
  new GatewayError('overloaded', 'Too many accounts are being exported. Try again soon.', { retryAfterSeconds });
