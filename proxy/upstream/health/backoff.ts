/** Exponential backoff up to a limit, with jitter over the upper half so that replicas do not retry in lockstep. */

export interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** `attempt` counts from 1; `random` is from 0 to 1. */
export function backoffMs({ firstMs, mostMs }: Backoff, attempt: number, random: number): number {
  const wholeMs = Math.min(mostMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(wholeMs * (0.5 + random / 2));
}
