/** Ranges of time. */

export interface TimeRange {
  /** Inclusive. */
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly to: Date | undefined;
}

/** A quarter of an hour, of which each has totals. */
export const quarterMs = 15 * 60 * 1000;

const unboundedAt = new Date('9999-12-31T00:00:00Z');

/** Whether there is such an end: a cursor may name the last instant of all, whose year of five digits Postgres cannot read. */
export const isBound = (to: Date | undefined): to is Date => to !== undefined && to < unboundedAt;

/** The ends of ranges; undefined if there is none. */
export function earlierOf(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

export function laterOf(one: Date | undefined, other: Date | undefined): Date | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one > other ? one : other;
}
