/** Sums of usage from the API. */
import { queryOptions, skipToken } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';
import { type DayRange, dayAfter, type InstantRange, timeZone } from '../app/time/days.ts';
import type { UsageGroup } from './usage-groups.ts';
import type { Slot } from './usage-rows.ts';

/** Usage of whole days, by day or hour, and by one thing more. */
export const usageOfDaysQuery = (range: DayRange, slot: Slot, group: UsageGroup) =>
  queryOptions({
    queryKey: ['usage', range, slot, group],
    queryFn: () => call(api.GET('/api/usage', { params: { query: paramsOf(range, slot, group) } })),
  });

export const usageFile = (range: DayRange, slot: Slot, group: UsageGroup): string =>
  `/api/usage/export?${new URLSearchParams(paramsOf(range, slot, group))}`;

/** Usage between two instants, if there are any. */
export const usageBetweenQuery = (range: InstantRange | undefined, groups: readonly UsageGroup[]) =>
  queryOptions({
    queryKey: ['usage', range, ...groups],
    queryFn:
      range === undefined
        ? skipToken
        : () =>
            call(
              api.GET('/api/usage', {
                params: { query: { ...range, timeZone: timeZone(), groupBy: groups.join(',') } },
              }),
            ),
  });

function paramsOf({ from, to }: DayRange, slot: Slot, group: UsageGroup) {
  return { from, to: dayAfter(to), timeZone: timeZone(), groupBy: `${slot},${group}` };
}
