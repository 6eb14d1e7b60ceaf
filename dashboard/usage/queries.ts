/** Sums of usage from the API. */
import { queryOptions } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';
import { type DayRange, dayAfter, type InstantRange, timeZone } from '../app/time/days.ts';
import type { Slot, UsageGroup } from './usage-rows.ts';

/** Usage of whole days, by day or hour, and by model or key. */
export const usageOfDaysQuery = (range: DayRange, slot: Slot, group: UsageGroup) =>
  queryOptions({
    queryKey: ['usage', range, slot, group],
    queryFn: () => call(api.GET('/api/usage', { params: { query: paramsOf(range, slot, group) } })),
  });

export const usageFile = (range: DayRange, slot: Slot, group: UsageGroup): string =>
  `/api/usage/export?${new URLSearchParams(paramsOf(range, slot, group))}`;

/** Usage between two instants, by model and key. */
export const usageBetweenQuery = (range: InstantRange) =>
  queryOptions({
    queryKey: ['usage', range],
    queryFn: () =>
      call(api.GET('/api/usage', { params: { query: { ...range, timeZone: timeZone(), groupBy: 'model,key' } } })),
  });

function paramsOf({ from, to }: DayRange, slot: Slot, group: UsageGroup) {
  return { from, to: dayAfter(to), timeZone: timeZone(), groupBy: `${slot},${group}` };
}
