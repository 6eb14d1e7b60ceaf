/** Durations: a clock to measure them with, and the growing pauses between attempts. */

/** Milliseconds of a clock that is never set back, unlike the wall clock. Only for durations within this process. */
export function monotonicMs(): number {
  return performance.now();
}

interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
}

/**
 * Exponential backoff up to a limit, with jitter over the upper half so that replicas do not retry in lockstep.
 * `attempt` counts from 1; `random` is from 0 to 1.
 */
export function backoffMs({ firstMs, mostMs }: Backoff, attempt: number, random: number): number {
  const wholeMs = Math.min(mostMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(wholeMs * (0.5 + random / 2));
}
