/** The windows of limits: the names and places that a row reserves, and the moments at which a window begins. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { zoneOffsets } from '../../../shared/days-of-zone.ts';
import { budgetKinds, budgetLevels, parseScope, scopeName } from '../../../shared/limits/budget-levels.ts';
import { rateLimits, rateWindows } from '../../../shared/limits/rate-limits.ts';
import {
  spendLimits,
  windowEnd,
  windowedLimits,
  windowNumber,
  windowStart,
} from '../../../shared/limits/spend-limits.ts';
import { decodeOffsets, encodeOffsets, isSameZone, quarterHourMs } from '../../../shared/limits/zone-offsets.ts';

test('no two limits share a name or a place in Redis', () => {
  const published = [
    ...budgetKinds.map((kind) => kind.published),
    ...rateLimits.flatMap((limit) => Object.values(limit.published)),
  ];
  expect(published).toEqual([...new Set(published)]);
  const fields = [...windowedLimits.map(({ name }) => name), ...spendLimits.map(({ counted }) => counted)];
  expect(fields).toEqual([...new Set(fields)]);
  const places = spendLimits.flatMap((limit) => (limit.window ? [limit.place - 1, limit.place] : [limit.place]));
  expect(places.toSorted((one, other) => one - other)).toEqual(places.map((_, index) => index + 1));
  expect(rateWindows.map<number>(({ window }) => window.keptAt)).toEqual(rateWindows.map((_, index) => index + 1));
});

const zones = Intl.supportedValuesOf('timeZone');
const anyZone = fc.oneof(
  fc.constantFrom(...zones),
  fc.constantFrom('Asia/Beirut', 'Australia/Lord_Howe', 'Europe/Moscow'),
);
const from = new Date('2026-06-01');
/** Within the years that an organization's zone is known for. */
const anyMomentAhead = fc.date({ min: from, max: new Date('2040-01-01'), noInvalidDate: true });

test('a window begins at or before its moments, and ends where the next one begins, in any zone', () => {
  fc.assert(
    fc.property(fc.constantFrom(...windowedLimits), anyMomentAhead, anyZone, (limit, moment, timeZone) => {
      const zone = zoneOffsets(timeZone, from);
      const start = windowStart(limit, moment, zone);
      expect(start.getTime()).toBeLessThanOrEqual(moment.getTime());
      expect(start.getTime() % quarterHourMs).toBe(0);
      expect(windowNumber(limit, start, zone)).toBe(windowNumber(limit, moment, zone));
      expect(windowNumber(limit, new Date(start.getTime() - 1), zone)).toBeLessThan(windowNumber(limit, moment, zone));
      const end = windowEnd(limit, moment, zone);
      expect(end.getTime()).toBeGreaterThan(moment.getTime());
      expect(windowStart(limit, end, zone)).toEqual(end);
      expect(windowNumber(limit, new Date(end.getTime() - 1), zone)).toBe(windowNumber(limit, moment, zone));
    }),
    { numRuns: 2_000 },
  );
});

test('a day begins when the calendar of the zone says so, weeks on Monday and months on the first', () => {
  fc.assert(
    fc.property(anyMomentAhead, anyZone, (moment, timeZone) => {
      const zone = zoneOffsets(timeZone, from);
      const at = Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timeZone);
      const starts = {
        day: at.startOfDay(),
        week: at.subtract({ days: at.dayOfWeek - 1 }).startOfDay(),
        month: at.with({ day: 1 }).startOfDay(),
      };
      for (const limit of windowedLimits) {
        expect(windowStart(limit, moment, zone).getTime()).toBe(starts[limit.window].epochMilliseconds);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('no zone ever goes back to a day that is over', () => {
  const [day] = windowedLimits;
  for (const timeZone of zones) {
    const zone = zoneOffsets(timeZone, from);
    for (const { until } of zone.slice(0, -1)) {
      const [before, after] = [until * quarterHourMs - 1, until * quarterHourMs].map((ms) =>
        day === undefined ? 0 : windowNumber(day, new Date(ms), zone),
      );
      expect({ timeZone, until, isBack: (after ?? 0) < (before ?? 0) }).toEqual({ timeZone, until, isBack: false });
    }
  }
});

test('the offsets of a zone are read as they were written', () => {
  for (const timeZone of zones) {
    const offsets = zoneOffsets(timeZone, from);
    expect(decodeOffsets(encodeOffsets(offsets))).toEqual([...offsets]);
    expect(encodeOffsets(offsets).length).toBeLessThan(420);
  }
  expect(encodeOffsets(zoneOffsets('UTC', from))).toBe('');
  expect(encodeOffsets(zoneOffsets('Europe/Moscow', from))).toBe('12');
});

test('the name of a scope is read as it was written', () => {
  fc.assert(
    fc.property(fc.constantFrom(...budgetLevels), fc.nat(), fc.nat(), ({ name: level }, accountId, id) => {
      const scope = { level, accountId, id };
      expect(parseScope(accountId, scopeName(scope))).toEqual(scope);
    }),
  );
  for (const name of ['x7', '', 'p', 'm7:', '7x', 'o7 ']) expect(parseScope(1, name)).toBeUndefined();
});

test('a zone is the same whenever its offsets were made, and another one is not unless its clocks are', () => {
  const anyMade = fc.date({ min: new Date('2026-01-01'), max: new Date('2032-01-01'), noInvalidDate: true });
  const [day] = windowedLimits;
  fc.assert(
    fc.property(anyZone, anyZone, anyMade, anyMade, (timeZone, other, one, two) => {
      const now = Math.max(one.getTime(), two.getTime());
      expect(isSameZone(zoneOffsets(timeZone, one), zoneOffsets(timeZone, two), now)).toBe(true);
      const [own, others] = [zoneOffsets(timeZone, one), zoneOffsets(other, two)];
      if (!isSameZone(own, others, now) || day === undefined) return;
      for (let ahead = 0; ahead < 1_000; ahead += 7) {
        const at = new Date(now + ahead * 86_400_000);
        expect(windowNumber(day, at, own)).toBe(windowNumber(day, at, others));
      }
    }),
    { numRuns: 2_000 },
  );
});
