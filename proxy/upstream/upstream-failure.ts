/** A provider's failure. Its details are for the log; the client gets a GatewayError made from it. */
import { GatewayError } from '../../shared/errors.ts';
import type { LimitCause } from './retries/rate-limit.ts';

export type FailureReason = 'unreachable' | 'timeout' | 'refused' | 'rejected' | 'malformed' | 'oversized' | 'cut';

export interface FailureOptions {
  readonly cause?: unknown;
  /** Of the provider's response, if there was one. */
  readonly status?: number;
  /** If the provider said when to retry. */
  readonly retryAfterMs?: number | undefined;
  /** What an operator has to fix; never shown to a customer. */
  readonly problem?: string;
  /** The cause of a 429. */
  readonly limit?: LimitCause | undefined;
}

export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly problem: string | undefined;
  readonly limit: LimitCause | undefined;

  constructor(
    /**
     * `rejected`: the client's fault. `oversized`: the answer was generated, but exceeds the size limit. All others are
     * the provider's fault.
     */
    readonly reason: FailureReason,
    message: string,
    options: FailureOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.problem = options.problem;
    this.limit = options.limit ?? (options.status === 429 ? 'rate' : undefined);
  }

  toGatewayError(): GatewayError {
    if (this.reason === 'rejected') return new GatewayError('upstream_rejected_request', this.message, { cause: this });
    if (this.reason === 'oversized') return new GatewayError('answer_too_large', this.message, { cause: this });
    if (this.reason === 'timeout') return new GatewayError('upstream_timeout', this.message, { cause: this });
    return new GatewayError('upstream_error', this.message, { cause: this });
  }
}
