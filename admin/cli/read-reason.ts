/** Why an operator does something. */
import { GatewayError } from '../../shared/errors.ts';

const reasonMaxLength = 500;

/** Trimmed. Throws GatewayError `invalid_parameter`. */
export function readReason(text: string): string {
  const reason = text.trim();
  if (reason === '' || reason.length > reasonMaxLength) {
    throw new GatewayError('invalid_parameter', `A reason must have 1 to ${reasonMaxLength} characters.`, {
      param: 'reason',
    });
  }
  return reason;
}
