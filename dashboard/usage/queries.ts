/** Sums of usage from the API. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';
import { sumDecimals } from '../app/money/decimal.ts';
import { type DayRange, dayAfter, type InstantRange, timeZone } from '../app/time/days.ts';
import type { paths } from '../generated/api.ts';

export type UsageRow = paths['/api/usage']['get']['responses']['200']['content']['application/json']['usage'][number];

/** What usage is told apart by, besides time. */
export const usageGroups = ['model', 'key'] as const;
export type UsageGroup = (typeof usageGroups)[number];

export type Slot = 'day' | 'hour';

/** Usage of whole days, by day or hour, and by model or key. */
export const usageOfDaysQuery = (range: DayRange, slot: Slot, group: UsageGroup) =>
  queryOptions({
    queryKey: ['usage', range, slot, group],
    queryFn: () => call(api.GET('/api/usage', { params: { query: paramsOf(range, slot, group) } })),
    placeholderData: keepPreviousData,
  });

export const exportUsage = (range: DayRange, slot: Slot, group: UsageGroup): Promise<Blob> =>
  call(api.GET('/api/usage/export', { params: { query: paramsOf(range, slot, group) }, parseAs: 'blob' }));

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

export interface UsageSum {
  readonly cost: string;
  readonly requests: number;
  readonly promptTokens: number;
  readonly cachedPromptTokens: number;
  readonly cacheWriteTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly images: number;
}

const counts = [
  'requests',
  'promptTokens',
  'cachedPromptTokens',
  'cacheWriteTokens',
  'completionTokens',
  'reasoningTokens',
  'images',
] as const;

export function sumUsage(rows: readonly UsageSum[]): UsageSum {
  const sums = Object.fromEntries(counts.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)]));
  return { ...(sums as Record<(typeof counts)[number], number>), cost: sumDecimals(rows.map(({ cost }) => cost)) };
}

/** Rows by what a function tells of them, in the order in which it is first seen. */
export function groupRows(rows: readonly UsageRow[], idOf: (row: UsageRow) => string): Map<string, UsageRow[]> {
  const groups = new Map<string, UsageRow[]>();
  for (const row of rows) {
    const group = groups.get(idOf(row));
    if (group === undefined) groups.set(idOf(row), [row]);
    else group.push(row);
  }
  return groups;
}
