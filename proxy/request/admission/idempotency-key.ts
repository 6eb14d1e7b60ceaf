/**
 * The `Idempotency-Key` of a request whose response is not streamed. Requests of one API key with the same one are one
 * request for a day; a streamed response could not be given again, so there the header is not looked at.
 */
import { GatewayError } from '../../../shared/errors.ts';
import { pathOf } from '../../../shared/http/request-headers.ts';
import type { Once } from '../../../shared/wallet/wallet.ts';

const header = 'idempotency-key';
const form = /^[\x21-\x7e]{1,255}$/;

interface Sent {
  readonly firstHash: string;
  /** The same for the same body. */
  contentOf(): string;
}

/** Throws GatewayError `invalid_parameter`. */
export function readOnce(request: Request, { firstHash, contentOf }: Sent): Once | undefined {
  const value = request.headers.get(header);
  if (value === null) return undefined;
  if (!form.test(value)) {
    throw new GatewayError('invalid_parameter', 'Idempotency-Key must have 1 to 255 visible ASCII characters.', {
      param: 'Idempotency-Key',
    });
  }
  return {
    idempotencyKeyDigest: digest(`${firstHash} ${value}`),
    bodyDigest: digest(`${pathOf(request)} ${contentOf()}`),
  };
}

function digest(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('base64url');
}
