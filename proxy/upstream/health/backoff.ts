/** Waiting times that double up to a limit, each drawn from its upper half so that replicas do not march in step. */

export interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** `time` counts from 1; `random` is from 0 to 1. */
export function backoffMs({ firstMs, mostMs }: Backoff, time: number, random: number): number {
  const wholeMs = Math.min(mostMs, firstMs * 2 ** Math.min(time - 1, 30));
  return Math.round(wholeMs * (0.5 + random / 2));
}
