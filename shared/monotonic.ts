/** Milliseconds of a clock that is never set back, unlike the wall clock. Only for durations within this process. */
export function monotonicMs(): number {
  return performance.now();
}
