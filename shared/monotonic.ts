/** Milliseconds of a clock that is never set back, unlike the wall clock. Tells durations within this process only. */
export function monotonicMs(): number {
  return performance.now();
}
