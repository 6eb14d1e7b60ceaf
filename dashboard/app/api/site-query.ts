/** The gateway's public settings. */
import { queryOptions } from '@tanstack/react-query';
import { call, publicApi } from './api.ts';

export const siteQuery = queryOptions({
  queryKey: ['site'],
  queryFn: () => call(publicApi.GET('/api/site')),
  staleTime: 300_000,
});
