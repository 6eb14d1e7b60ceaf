/**
 * How much slower than bare Bun the gateway may be, as ratios of figures from the same round. Generous enough for a
 * busy machine, tight enough to catch a careless change of the hot path; tighten them when the gateway gets faster.
 */
export const limits = {
  /** CPU time of a whole answer. */
  cpuPerRequestMax: 4.5,
  /** Requests a second. */
  throughputMin: 0.13,
  /** CPU time of a streamed chunk. */
  cpuPerChunkMax: 2.6,
} as const;
