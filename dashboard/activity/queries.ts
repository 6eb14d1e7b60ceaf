/** Charged requests and their receipts. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';
import { present, rangeOf } from '../app/router/search.ts';
import { hourRange, type InstantRange, instantsOf } from '../app/time/days.ts';
import type { paths } from '../generated/api.ts';
import { isTooLong } from '../usage/period.ts';
import { usageBetweenQuery } from '../usage/queries.ts';
import { type DimensionGroup, usageGroups } from '../usage/usage-groups.ts';

export type ListedRequest =
  paths['/api/requests']['get']['responses']['200']['content']['application/json']['requests'][number];
export type Receipt = paths['/api/requests/{requestId}']['get']['responses']['200']['content']['application/json'];

export interface RequestFilter {
  readonly from?: string;
  readonly to?: string;
  /** The start of an hour, in place of days. */
  readonly hour?: string;
  readonly model?: string;
  readonly key?: number;
  readonly project?: number;
  readonly member?: number;
  readonly dimension?: DimensionGroup;
  /** Of the dimension; without it, requests without a value. */
  readonly value?: string;
}

const pageRequests = 50;

/** Estimates that were corrected later are listed as well: then the amounts of a period add up to its usage. */
export const requestsQuery = (filter: RequestFilter, cursor?: string) =>
  queryOptions({
    queryKey: ['requests', 'list', filter, cursor],
    queryFn: () => {
      const { model, key, project, member, dimension, value } = filter;
      const query = {
        limit: pageRequests,
        replaced: 'true' as const,
        ...instantsOfFilter(filter),
        ...(model !== undefined && { model }),
        ...(key !== undefined && { keyId: key }),
        ...(project !== undefined && { projectId: project }),
        ...(member !== undefined && { memberId: member }),
        ...(dimension !== undefined && present({ dimension, value })),
        ...(cursor !== undefined && { cursor }),
      };
      return call(api.GET('/api/requests', { params: { query } }));
    },
    placeholderData: keepPreviousData,
  });

export const receiptQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['requests', 'receipt', requestId],
    queryFn: () => call(api.GET('/api/requests/{requestId}', { params: { path: { requestId } } })),
  });

/**
 * The usage of the period, by what it is filtered by. Never asked for without a period, of which no sum is kept, nor for one
 * that is too long.
 */
export function usageOfFilterQuery(filter: RequestFilter) {
  const { project, member, dimension } = filter;
  const own = usageGroups.filter(
    (group) => (group !== 'project' || project !== undefined) && (group !== 'member' || member !== undefined),
  );
  return usageBetweenQuery(
    isSummed(filter) ? instantsOfFilter(filter) : undefined,
    dimension === undefined ? own : [...own, dimension],
  );
}

export function isSummed(filter: RequestFilter): boolean {
  const days = filter.hour === undefined ? rangeOf(filter) : undefined;
  return filter.hour !== undefined || (days !== undefined && !isTooLong(days));
}

/** Undefined for all time. */
function instantsOfFilter({ hour, ...days }: RequestFilter): InstantRange | undefined {
  if (hour !== undefined) return hourRange(hour);
  const range = rangeOf(days);
  return range && instantsOf(range);
}
