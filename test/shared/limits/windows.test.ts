/** The windows of limits: the names and places that a row reserves, and the moments at which a window begins. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { rateLimits, rateWindows } from '../../../shared/limits/rate-limits.ts';
import { spendLimits, windowedLimits, windowNumber, windowStart } from '../../../shared/limits/spend-limits.ts';

const dayMs = 86_400_000;
const anyMoment = fc.date({ min: new Date('2020-01-01'), max: new Date('2120-01-01'), noInvalidDate: true });

test('no two limits share a name or a place in Redis', () => {
  const published = [
    ...spendLimits.map((limit) => limit.published),
    ...rateLimits.flatMap((limit) => Object.values(limit.published)),
  ];
  expect(published).toEqual([...new Set(published)]);
  const fields = [...windowedLimits.map(({ name }) => name), ...spendLimits.map(({ counted }) => counted)];
  expect(fields).toEqual([...new Set(fields)]);
  const shownAt = spendLimits.flatMap((limit) => (limit.window ? [limit.shownAt - 1, limit.shownAt] : [limit.shownAt]));
  expect(shownAt.toSorted((one, other) => one - other)).toEqual(shownAt.map((_, index) => index + 1));
  expect(rateWindows.map<number>(({ window }) => window.keptAt)).toEqual(rateWindows.map((_, index) => index + 1));
});

test('a window of a fixed length divides a day, and consists of the quarter hours of usage totals', () => {
  for (const { window } of windowedLimits) {
    if (window === 'month') continue;
    expect(dayMs % window.ms).toBe(0);
    expect(window.ms % 900_000).toBe(0);
  }
});

test('a window begins at or before a moment of it, and a millisecond earlier was the one before', () => {
  fc.assert(
    fc.property(fc.constantFrom(...windowedLimits), anyMoment, (limit, moment) => {
      const start = windowStart(limit, moment);
      expect(start.getTime()).toBeLessThanOrEqual(moment.getTime());
      expect(windowNumber(limit, start)).toBe(windowNumber(limit, moment));
      expect(windowNumber(limit, new Date(start.getTime() - 1))).toBeLessThan(windowNumber(limit, moment));
    }),
  );
});
