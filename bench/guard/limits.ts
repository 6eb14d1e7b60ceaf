/**
 * How much worse than bare Bun the gateway may be, as ratios of figures from the same round. Generous enough for a busy
 * machine, tight enough that a careless change of the hot path is noticed; tighten them when the gateway gets faster.
 */
export const limits = {
  /** CPU time of a whole answer. */
  cpuPerRequestMax: 4.8,
  /** Requests a second. */
  throughputMin: 0.12,
  /** CPU time of a streamed chunk. */
  cpuPerChunkMax: 2.8,
} as const;
