/** Statistics over several rounds of the same measurement. */

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Throws if there is nothing to summarize. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) throw new Error('no rounds');
  return { median: middle(sorted), min, max };
}

export function medianOf(values: readonly number[]): number {
  return spreadOf(values).median;
}

/** For values in ascending order. */
function middle(sorted: readonly number[]): number {
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return (lower + upper) / 2;
}
