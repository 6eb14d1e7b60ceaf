/** When requests are due: independent of each other, as those of many customers are (a Poisson process). */

/** Milliseconds from the start, ascending, up to `durationMs`. */
export function poissonSchedule(options: {
  perSecond: number;
  durationMs: number;
  random: () => number;
}): Float64Array {
  const { perSecond, durationMs, random } = options;
  const due: number[] = [];
  for (let at = 0; ; ) {
    at += (-Math.log(1 - random()) * 1_000) / perSecond;
    if (at >= durationMs) return Float64Array.from(due);
    due.push(at);
  }
}
