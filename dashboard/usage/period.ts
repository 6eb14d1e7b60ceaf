/** The days that the page of usage shows, and what the days and hours of the chart are called. */

import type { Language } from '../../shared/languages.ts';
import { rangeOf } from '../app/router/search.ts';
import { countDays, type DayRange, lastDays } from '../app/time/days.ts';
import { formatDay, formatInstant, formatTime } from '../app/time/format-time.ts';
import type { Slot } from './usage-rows.ts';

/** The API adds up no longer period in one request. */
export const daysMax = 400;
const daysByDefault = 30;
/** Up to then, hours tell more than days. */
const daysByHourMax = 2;

export const shownRange = (search: { readonly from?: string; readonly to?: string }): DayRange =>
  rangeOf(search) ?? lastDays(daysByDefault);

export const slotOfRange = (range: DayRange): Slot => (countDays(range) <= daysByHourMax ? 'hour' : 'day');

export const isTooLong = (range: DayRange): boolean => countDays(range) > daysMax;

/** A day or an hour of the chart: `22 Nov 2026`, `22 Nov 2026, 20:00`; short `22 Nov`, `20:00`. */
export function formatSlot(slot: string, kind: Slot, language: Language, length: 'long' | 'short' = 'long'): string {
  if (length === 'long') return kind === 'day' ? formatDay(slot, language) : formatInstant(slot, language);
  const options: Intl.DateTimeFormatOptions =
    kind === 'day' ? { day: 'numeric', month: 'short', timeZone: 'UTC' } : { hour: '2-digit', minute: '2-digit' };
  return formatTime(new Date(slot), language, options);
}
