/** Charged requests and their receipts. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';
import { rangeOf } from '../app/router/search.ts';
import { hourRange, type InstantRange, instantsOf } from '../app/time/days.ts';
import type { paths } from '../generated/api.ts';

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
}

const pageRequests = 50;

/** Estimates that were corrected later are listed as well: then the amounts of a period add up to its usage. */
export const requestsQuery = (filter: RequestFilter, cursor?: string) =>
  queryOptions({
    queryKey: ['requests', 'list', filter, cursor],
    queryFn: () => {
      const { model, key } = filter;
      const query = {
        limit: pageRequests,
        replaced: 'true' as const,
        ...instantsOfFilter(filter),
        ...(model !== undefined && { model }),
        ...(key !== undefined && { keyId: key }),
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

/** Undefined for all time. */
export function instantsOfFilter({ hour, ...days }: RequestFilter): InstantRange | undefined {
  if (hour !== undefined) return hourRange(hour);
  const range = rangeOf(days);
  return range && instantsOf(range);
}
