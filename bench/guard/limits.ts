/**
 * How much slower than bare Bun the gateway may be, as ratios of figures from the same round. Generous enough for a
 * busy machine, tight enough to catch a careless change of the hot path; tighten them when the gateway gets faster. They fit
 * an Intel Xeon, where JavaScript costs more relative to bare Bun than on an AMD EPYC.
 */
export const limits = {
  /** CPU time of a whole response. */
  cpuPerRequestMax: 5.4,
  /** Requests a second. */
  throughputMin: 0.15,
  /** CPU time of a streamed chunk. */
  cpuPerChunkMax: 3.6,
} as const;
