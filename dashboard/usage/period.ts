/** The days that the page of usage shows. */
import { rangeOf } from '../app/router/search.ts';
import { type DayRange, countDays, lastDays } from '../app/time/days.ts';
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
