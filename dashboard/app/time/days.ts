/** Days of the reader's time zone, such as `2026-11-22`, and the instants at which they begin and end. */
import dayjs from 'dayjs';

/** Both days are included. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

export interface InstantRange {
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
}

const form = 'YYYY-MM-DD';

/** The zone that the API is to make days of. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export const today = (): string => dayjs().format(form);

/** By which banks book. */
export const todayInMoscow = (): string => new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Moscow' }).format();

export const dayOf = (instant: string): string => dayjs(instant).format(form);

export const dayBefore = (day: string, days = 1): string => dayjs(day).subtract(days, 'day').format(form);

export const dayAfter = (day: string): string => dayjs(day).add(1, 'day').format(form);

/** Today and the days before it: `lastDays(1)` is today. */
export const lastDays = (days: number): DayRange => ({ from: dayBefore(today(), days - 1), to: today() });

export function monthOf(day: string): DayRange {
  const month = dayjs(day);
  return { from: month.startOf('month').format(form), to: month.endOf('month').format(form) };
}

export function countDays({ from, to }: DayRange): number {
  return dayjs(`${to}T12:00`).diff(dayjs(`${from}T12:00`), 'day') + 1;
}

/** Every day of the range. */
export function daysOf(range: DayRange): string[] {
  const first = dayjs(range.from);
  return [...new Array(countDays(range)).keys()].map((n) => first.add(n, 'day').format(form));
}

/** Every hour of the range, also where the clock changes. */
export function hoursOf(range: DayRange): string[] {
  const { from, to } = instantsOf(range);
  const hours: string[] = [];
  for (let hour = dayjs(from); hour.isBefore(to); hour = hour.add(1, 'hour')) hours.push(hour.toISOString());
  return hours;
}

export function instantsOf({ from, to }: DayRange): InstantRange {
  return { from: dayjs(from).startOf('day').toISOString(), to: dayjs(dayAfter(to)).startOf('day').toISOString() };
}

export const hourRange = (hour: string): InstantRange => ({
  from: hour,
  to: dayjs(hour).add(1, 'hour').toISOString(),
});

/** Whether it is a day that exists. */
export const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && dayjs(text).format(form) === text;
