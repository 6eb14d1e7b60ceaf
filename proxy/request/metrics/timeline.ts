/**
 * When a request passed its stages, by the monotonic clock, for metrics; and its trace, if requests are traced. The stages
 * only write numbers here; everything else is done once, when the request has ended.
 */
import { monotonicMs } from '../../../shared/durations.ts';
import type { RequestTrace } from '../tracing/request-trace.ts';

export class Timeline {
  /** The request is here, with its whole body. */
  readonly arrivedAtMs: number;
  /** It was first sent to a provider. */
  sentAtMs: number | undefined;
  /** The provider's first output for the client, or its whole response, was here. */
  respondedAtMs: number | undefined;
  /** The client's response began. */
  deliveredAtMs: number | undefined;
  /** The first token of a stream. */
  firstTokenAtMs: number | undefined;
  isStream = false;
  /** No client waits for it, so it waits for others, and until its result is stored. */
  isDeferred = false;
  /** It waited until its provider ran a batch, which says nothing about speed. */
  isBatched = false;
  /** It could not be delivered as a whole, and not because its client left. */
  isBroken = false;

  /** Undefined unless requests are traced. */
  trace: RequestTrace | undefined;

  constructor(arrivedAtMs: number = monotonicMs(), trace?: RequestTrace) {
    this.arrivedAtMs = arrivedAtMs;
    this.trace = trace;
  }
}
