/**
 * A provider's failure, and whose fault it is. Its details are for the log; the client gets a GatewayError made from
 * it.
 */
import { GatewayError } from '../../shared/errors.ts';
import { saysTooLong } from './says-too-long.ts';

export type FailureReason = 'unreachable' | 'timeout' | 'refused' | 'rejected' | 'malformed' | 'oversized' | 'cut';

/**
 * What a 429 is about. `quota`: a quota is used up, for everyone. `request`: this request is larger than a quota, or than
 * what is left of it. `rate`: too many requests or tokens, without saying whose.
 */
export type LimitCause = 'quota' | 'request' | 'rate';

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
  /** The request is longer than the model takes, although the message does not say so. */
  readonly isTooLong?: boolean;
  /** Nothing was sent, because this deployment cannot do what is requested. Another one may. */
  readonly refusal?: GatewayError;
}

export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly problem: string | undefined;
  readonly limit: LimitCause | undefined;
  /** The request is longer than the model takes. */
  readonly isTooLong: boolean;
  readonly refusal: GatewayError | undefined;

  constructor(
    /**
     * `rejected`: the client's fault. `oversized`: the response was generated, but exceeds the size limit. All others are
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
    this.isTooLong = reason === 'rejected' && (options.isTooLong === true || saysTooLong(message));
    this.refusal = options.refusal;
    this.limit = options.limit ?? (options.status === 429 ? 'rate' : undefined);
  }

  toGatewayError(): GatewayError {
    if (this.reason === 'rejected') return new GatewayError('upstream_rejected_request', this.message, { cause: this });
    if (this.reason === 'oversized') return new GatewayError('answer_too_large', this.message, { cause: this });
    if (this.reason === 'timeout') return new GatewayError('upstream_timeout', this.message, { cause: this });
    return new GatewayError('upstream_error', this.message, { cause: this });
  }
}

/**
 * `client`: the request is at fault, and the client gets the provider's message. `operator`: the gateway's key, account
 * or catalogue is at fault, and the provider's message goes only to the log. `provider`: neither.
 */
type Blame = 'client' | 'operator' | 'provider';

const clientFaults: ReadonlySet<number> = new Set([400, 413, 422]);
/** A 404 means that the catalogue names a model or URL that the provider does not have. */
const operatorFaults: ReadonlySet<number> = new Set([401, 402, 403, 404]);
/** Anything else that is not found was named by the client: a file, by its URL. */
const mentionsFile = /\bfiles?\b/i;
/** How xAI and OpenRouter refuse a prompt with 403, before anything is generated. */
const refusesPrompt = /usage guidelines|safety_check|requires moderation|\bflagged\b/i;

export function blameFor(status: number, message: string | undefined): Blame {
  if (status === 404 && mentionsFile.test(message ?? '')) return 'client';
  if (status === 403 && refusesPrompt.test(message ?? '')) return 'client';
  if (clientFaults.has(status)) return 'client';
  return operatorFaults.has(status) ? 'operator' : 'provider';
}
