/** Ranges of time. */

export interface TimeRange {
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
}

/** A quarter of an hour, of which each has totals. */
export const quarterMs = 15 * 60 * 1000;

/** The ends of ranges; undefined if there is none. */
export function earlierOf(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

export function laterOf(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one > other ? one : other;
}
