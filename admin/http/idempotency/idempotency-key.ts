/** Reads the Idempotency-Key of a request. */
import { GatewayError } from '../../../shared/errors.ts';

const form = /^[\x21-\x7e]{1,255}$/;
const param = 'Idempotency-Key';

/** Throws GatewayError `invalid_parameter`. */
export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || form.test(header)) return header;
  throw new GatewayError('invalid_parameter', `Invalid '${param}': expected 1 to 255 printable ASCII characters.`, {
    param,
  });
}

/** The same for work that requires a key. Also throws GatewayError `missing_parameter`. */
export function requireIdempotencyKey(header: string | undefined): string {
  const key = readIdempotencyKey(header);
  if (key === undefined) throw new GatewayError('missing_parameter', `Send an '${param}' header.`, { param });
  return key;
}
