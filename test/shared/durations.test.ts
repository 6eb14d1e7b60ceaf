/** The delays between attempts grow, are bounded and have jitter. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { backoffMs } from '../../shared/durations.ts';

const fourHoursMs = 4 * 3_600_000;
/** The delays between attempts to send an e-mail. */
const delays = { firstMs: 60_000, mostMs: fourHoursMs };

test('a backoff is at least half a minute and at most four hours, after any number of attempts', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempts, random) => {
        const waitMs = backoffMs(delays, attempts, random);
        expect(waitMs).toBeGreaterThanOrEqual(30_000);
        expect(waitMs).toBeLessThanOrEqual(fourHoursMs);
      },
    ),
  );
});

test('a backoff doubles up to its limit, and jitter subtracts up to half of it', () => {
  expect([1, 2, 3, 9, 40].map((attempts) => backoffMs(delays, attempts, 1) / 60_000)).toEqual([1, 2, 4, 240, 240]);
  expect(backoffMs(delays, 3, 0)).toBe(2 * 60_000);
});
