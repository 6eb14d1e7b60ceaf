/** The delay after a failed attempt to send a mail: a minute at first, doubling up to four hours, with jitter. */

const firstMs = 60_000;
const longestMs = 4 * 3_600_000;

/** `random` is from 0 to 1; it spreads the delays over the upper half, so that an outage does not end in a stampede. */
export function backoffMs(attempts: number, random: number): number {
  const wholeMs = Math.min(firstMs * 2 ** Math.min(attempts - 1, 30), longestMs);
  return Math.round(wholeMs * (0.5 + random / 2));
}
