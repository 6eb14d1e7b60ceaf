/** The error for the client of a request that ended without a response, or in the middle of one. */
import { GatewayError } from '../../../shared/errors.ts';
import type { Cancellation } from '../../nouns/cancellation.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';

const retryAfterSeconds = 1;

/** The client has closed the connection: there is no one to report to, and it is not an error. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected';
}

/** An aborted request can fail with any error; the reason says why it was aborted. */
export function endedError(error: unknown, { reason }: Pick<Cancellation, 'reason'>): unknown {
  switch (reason) {
    case 'client_gone':
      return new ClientDisconnected('the client disconnected before the response', { cause: error });
    case 'idle':
    case 'too_long':
      return new GatewayError('upstream_timeout', 'The provider did not continue its response in time.', {
        cause: error,
      });
    case 'lease_lost':
      return new GatewayError('wallet_unavailable', 'The hold could not be renewed; the response ends here.', {
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
