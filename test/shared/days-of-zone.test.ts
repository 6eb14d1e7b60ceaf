/** Days of time zones: when they begin, even if clocks change at midnight, and how far they are ahead of UTC. */
import { describe, expect, test } from 'bun:test';
import { checkTimeZone, dayBefore, localDays, offsetPeriods, startOfDay } from '../../shared/days-of-zone.ts';

test.each([
  ['UTC', '2030-01-31', '2030-01-31T00:00:00.000Z'],
  ['Europe/Moscow', '2030-02-01', '2030-01-31T21:00:00.000Z'],
  ['Asia/Calcutta', '2030-02-01', '2030-01-31T18:30:00.000Z'],
  // Clocks are set forward at midnight, so the day begins at one.
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
  // Clocks are set back at one, so there are two midnights.
  ['Atlantic/Azores', '2026-10-25', '2026-10-25T00:00:00.000Z'],
  // This day did not exist: it begins when the next day does.
  ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
])('the day in %s, %s, begins at %s', (timeZone, day, start) => {
  expect(startOfDay(day, timeZone).toISOString()).toBe(start);
});

test('days are counted back on the calendar of the zone', () => {
  const at = new Date('2030-03-01T20:30:00Z');
  expect(dayBefore(at, { days: 0, timeZone: 'Asia/Tokyo' })).toBe('2030-03-02');
  expect(dayBefore(at, { days: 2, timeZone: 'Asia/Tokyo' })).toBe('2030-02-28');
});

describe('a range', () => {
  const periods = (from: string, to: string, timeZone: string) =>
    offsetPeriods({ from: new Date(from), to: new Date(to) }, timeZone).map(
      ({ start, seconds }) => `${start.toISOString()} ${seconds / 3_600}`,
    );

  test('a range without a clock change is one period', () => {
    expect(periods('2026-01-01T00:15:00Z', '2027-01-01T00:00:00Z', 'Europe/Moscow')).toEqual([
      '2026-01-01T00:15:00.000Z 3',
    ]);
  });

  test('has two periods if clocks change in it', () => {
    expect(periods('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', 'Australia/Lord_Howe')).toEqual([
      '2026-01-01T00:00:00.000Z 11',
      '2026-04-04T15:00:00.000Z 10.5',
      '2026-10-03T15:30:00.000Z 11',
    ]);
  });
});

describe('the whole days of a range', () => {
  test('follow each other without a gap, in every time zone', () => {
    const range = { from: new Date('2025-12-15T07:30:00Z'), to: new Date('2026-12-15T07:30:00Z') };
    for (const timeZone of Intl.supportedValuesOf('timeZone')) {
      const days = localDays(range, timeZone);
      expect([timeZone, days.length]).toEqual([timeZone, 364]);
      for (const [index, { day, starts, ends }] of days.entries()) {
        expect(starts).toEqual(startOfDay(day, timeZone));
        if (index > 0) expect(starts).toEqual(days[index - 1]?.ends as Date);
        expect(ends.getTime()).toBeGreaterThan(starts.getTime());
      }
      expect([(days[0]?.starts as Date) >= range.from, (days.at(-1)?.ends as Date) <= range.to]).toEqual([true, true]);
    }
  });

  test('are without the day that Samoa has left out', () => {
    const range = { from: new Date('2011-12-28T10:00:00Z'), to: new Date('2012-01-02T10:00:00Z') };
    expect(localDays(range, 'Pacific/Apia').map(({ day }) => day)).toEqual([
      '2011-12-28',
      '2011-12-29',
      '2011-12-31',
      '2012-01-01',
      '2012-01-02',
    ]);
  });
});

test.each(['Europe/Muscovy', '+03:00', 'MSK', "UTC'", 'XYZ5', '', 'Europe/'])(
  'the name %j is refused as a time zone',
  (timeZone) => {
    expect(() => checkTimeZone(timeZone)).toThrow("Invalid value for 'timeZone'");
  },
);

test('current and former names of time zones are accepted', () => {
  const former = ['Asia/Calcutta', 'Asia/Saigon', 'America/Buenos_Aires', 'Europe/Kiev', 'Pacific/Truk', 'US/Eastern'];
  for (const zone of [...Intl.supportedValuesOf('timeZone'), ...former]) checkTimeZone(zone);
});
