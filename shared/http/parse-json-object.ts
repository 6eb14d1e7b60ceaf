/** Parses a request body as a JSON object, or throws the error for the client. */
import { GatewayError } from '../errors.ts';

/** Throws GatewayError `invalid_json`. */
export function parseJsonObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('invalid_json', 'The request body is not valid JSON.', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('invalid_json', 'The request body must be a JSON object.');
  }
  return value;
}
