/**
 * Days of a time zone. Zones are looked up here and never in Postgres, which has its system's names only: where these
 * lack the former ones, it does not know Asia/Calcutta, which is what browsers in India report.
 */
import { GatewayError } from './errors.ts';
import { quarterHourMs, type ZoneOffsets } from './limits/zone-offsets.ts';

/**
 * Names from https://www.iana.org/time-zones. No offsets: `+03` means one thing in ISO 8601 and the opposite in POSIX.
 */
const zoneName = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/;

/** Throws GatewayError `invalid_parameter` if there is no such time zone. */
export function checkTimeZone(timeZone: string): void {
  try {
    if (zoneName.test(timeZone) && inZone(new Date(0), timeZone)) return;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const expected = 'the name of a time zone, such as Europe/Moscow';
  throw new GatewayError('invalid_parameter', `Invalid value for 'timeZone': expected ${expected}.`, {
    param: 'timeZone',
  });
}

/** When a day begins: at midnight, or later where clocks are put forward at midnight. The zone has been checked. */
export function startOfDay(day: string, timeZone: string): Date {
  return new Date(Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds);
}

/** The day of an instant, or `days` before it: `2026-10-31`. The zone has been checked. */
export function dayBefore(at: Date, { days, timeZone }: { days: number; timeZone: string }): string {
  return inZone(at, timeZone).toPlainDate().subtract({ days }).toString();
}

/** `2026-10-31`, from midnight to midnight. */
export interface LocalDay {
  readonly day: string;
  readonly starts: Date;
  /** Exclusive. */
  readonly ends: Date;
}

/** The whole days of a range, in order. The zone has been checked. */
export function localDays({ from, to }: { from: Date; to: Date }, timeZone: string): LocalDay[] {
  const days: LocalDay[] = [];
  let date = inZone(from, timeZone).toPlainDate();
  let starts = startOfDay(date.toString(), timeZone);
  while (starts < to) {
    const next = date.add({ days: 1 });
    const ends = startOfDay(next.toString(), timeZone);
    // A zone that has changed sides of the date line has left out a day.
    if (starts >= from && starts < ends && ends <= to) days.push({ day: date.toString(), starts, ends });
    [date, starts] = [next, ends];
  }
  return days;
}

/** From its start on, local time is this many seconds ahead of UTC. */
export interface OffsetPeriod {
  readonly start: Date;
  readonly seconds: number;
}

/** Those of a range, in order; the first starts with it. The zone has been checked. */
export function offsetPeriods({ from, to }: { from: Date; to: Date }, timeZone: string): OffsetPeriod[] {
  const periods: OffsetPeriod[] = [];
  let start: Temporal.ZonedDateTime | null = inZone(from, timeZone);
  while (start !== null && start.epochMilliseconds < to.getTime()) {
    periods.push({ start: new Date(start.epochMilliseconds), seconds: start.offsetNanoseconds / 1e9 });
    start = start.getTimeZoneTransition('next');
  }
  return periods;
}

/** Long enough for every period that a budget may have begun in. */
const daysBefore = 40;
const yearsAhead = 15;
const dayMs = 86_400_000;
const knownOffsets = new Map<string, ZoneOffsets>();

/** For budgets: of the weeks before the day of `at`, and of many years after it. The zone has been checked. */
export function zoneOffsets(timeZone: string, at: Date): ZoneOffsets {
  const from = new Date(Math.floor(at.getTime() / dayMs - daysBefore) * dayMs);
  const name = `${timeZone} ${from.getTime()}`;
  const known = knownOffsets.get(name);
  if (known !== undefined) return known;
  const to = new Date(from.getTime() + yearsAhead * 366 * dayMs);
  const periods = offsetPeriods({ from, to }, timeZone);
  const offsets = periods.map(({ seconds }, index) => ({
    ahead: Math.round((seconds * 1_000) / quarterHourMs),
    until: (periods[index + 1]?.start.getTime() ?? Number.POSITIVE_INFINITY) / quarterHourMs,
  }));
  if (knownOffsets.size > 1_000) knownOffsets.clear();
  knownOffsets.set(name, offsets);
  return offsets;
}

function inZone(at: Date, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
}
