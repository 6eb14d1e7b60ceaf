/** Parses the fields of a key that callers and operators send. */
import { GatewayError } from '../../shared/errors.ts';
import { parseInstant } from '../http/request/parse-instant.ts';

export const keyNameMaxLength = 100;

/** Trimmed. Throws GatewayError `invalid_parameter`. */
export function parseKeyName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > keyNameMaxLength) {
    throw new GatewayError('invalid_parameter', `A name must have 1 to ${keyNameMaxLength} characters.`, {
      param: 'name',
    });
  }
  return name;
}

/** Null if it never expires. Throws GatewayError `invalid_parameter`, also for a time in the past. */
export function parseKeyExpiry(text: string | null | undefined): Date | null {
  if (text === undefined || text === null) return null;
  const expiresAt = parseInstant(text, 'expires_at');
  if (expiresAt <= new Date()) {
    throw new GatewayError('invalid_parameter', 'A key cannot expire in the past.', { param: 'expires_at' });
  }
  return expiresAt;
}
