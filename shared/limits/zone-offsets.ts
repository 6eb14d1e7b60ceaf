/**
 * How far the clocks of a time zone are ahead of UTC, and until when: what the windows of budgets need of a zone, in the wallet's
 * scripts too. All of it is in quarters of an hour, in which zones differ from UTC and change their clocks.
 */

export interface ZoneOffset {
  /** Quarters of an hour ahead of UTC; negative behind it. */
  readonly ahead: number;
  /** Exclusive, in quarters of an hour since 1970; infinite for the last one. */
  readonly until: number;
}

/** In order; the first is for all time before its end. */
export type ZoneOffsets = readonly ZoneOffset[];

export const quarterHourMs = 900_000;
export const utcOffsets: ZoneOffsets = [{ ahead: 0, until: Number.POSITIVE_INFINITY }];

/** `12` for Moscow, `4 1974628 8 1992796 4` with summer time, and an empty text for UTC. */
export function encodeOffsets(offsets: ZoneOffsets): string {
  const text = offsets
    .flatMap(({ ahead, until }) => (until === Number.POSITIVE_INFINITY ? [ahead] : [ahead, until]))
    .join(' ');
  return text === '0' ? '' : text;
}

/** The inverse of `encodeOffsets`. */
export function decodeOffsets(text: string): ZoneOffsets {
  const numbers = text === '' ? [0] : text.split(' ').map(Number);
  const offsets: ZoneOffset[] = [];
  for (let at = 0; at < numbers.length; at += 2) {
    offsets.push({ ahead: numbers[at] ?? 0, until: numbers[at + 1] ?? Number.POSITIVE_INFINITY });
  }
  return offsets;
}

/** Whether both are of one zone, from then on: they begin and end with the time when they were made. */
export function isSameZone(one: ZoneOffsets, other: ZoneOffsets, atMs: number): boolean {
  const ahead = (offsets: ZoneOffsets) => encodeOffsets(offsets.filter(({ until }) => atMs < until * quarterHourMs));
  const [shorter = '', longer = ''] = [ahead(one), ahead(other)].sort((a, b) => a.length - b.length);
  return shorter === longer || (shorter.includes(' ') && longer.startsWith(`${shorter} `));
}

/** What a clock in the zone shows, in milliseconds since 1970 as if it were UTC. */
export function localMs(offsets: ZoneOffsets, atMs: number): number {
  const { ahead } = offsets.find(({ until }) => atMs < until * quarterHourMs) ?? { ahead: 0 };
  return atMs + ahead * quarterHourMs;
}

/** The first moment at which a clock in the zone shows this or, where clocks are put forward over it, something later. */
export function momentMs(offsets: ZoneOffsets, local: number): number {
  let sinceMs = Number.NEGATIVE_INFINITY;
  for (const { ahead, until } of offsets) {
    const atMs = Math.max(local - ahead * quarterHourMs, sinceMs);
    if (atMs < until * quarterHourMs) return atMs;
    sinceMs = until * quarterHourMs;
  }
  throw new Error('the last offset of a zone ends');
}
