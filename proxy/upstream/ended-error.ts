/** Why a request came to its end without an answer, or in the middle of one, in words for the client. */
import { GatewayError } from '../../shared/errors.ts';
import type { Cancellation } from '../settlement/cancellation.ts';
import { UpstreamFailure } from './upstream-failure.ts';

const retryAfterSeconds = 1;

/** Its client has closed the connection: nobody is told anything any more, and it is no error of ours. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** What was aborted by ourselves fails with whatever error it had come to; the reason tells why. */
export function endedError(error: unknown, { reason }: Pick<Cancellation, 'reason'>): unknown {
  switch (reason) {
    // The error is what has become of the reserve.
    case 'not_held':
      return error;
    case 'client_gone':
      return new ClientGone('the client left before it was answered', { cause: error });
    case 'idle':
    case 'too_long':
      return new GatewayError('upstream_timeout', 'The provider did not continue its response in time.', {
        cause: error,
      });
    case 'lease_lost':
      return new GatewayError('wallet_unavailable', 'The balance could no longer be held; the response ends here.', {
        retryAfterSeconds,
        cause: error,
      });
    case 'shutting_down':
      return new GatewayError('shutting_down', 'This replica is shutting down; the response ends here.', {
        retryAfterSeconds,
        cause: error,
      });
  }
  return error instanceof UpstreamFailure ? error.toGatewayError() : error;
}
