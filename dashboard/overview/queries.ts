/** What the overview asks for. */
import { queryOptions } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';
import type { paths } from '../generated/api.ts';

export type FirstStepsState = paths['/api/first-steps']['get']['responses']['200']['content']['application/json'];

export const balanceQuery = queryOptions({
  queryKey: ['balance'],
  queryFn: () => call(api.GET('/api/balance')),
});

export const firstStepsQuery = queryOptions({
  queryKey: ['first-steps'],
  queryFn: () => call(api.GET('/api/first-steps')),
  // The link in the mail may just have changed it.
  staleTime: 0,
});

export type FailedRequests = paths['/api/errors']['get']['responses']['200']['content']['application/json'];

export const failedRequestsQuery = queryOptions({
  queryKey: ['errors'],
  queryFn: () => call(api.GET('/api/errors')),
});

export const alertSettingsQuery = queryOptions({
  queryKey: ['notification-settings'],
  queryFn: () => call(api.GET('/api/settings/notifications')),
});

/** A model for the first request: of those that converse, the first. */
export const firstModelQuery = queryOptions({
  queryKey: ['models'],
  queryFn: () => call(api.GET('/api/models')),
  select: ({ models }) => (models.find(({ kind }) => kind === 'chat') ?? models[0])?.id,
});

/** The newest request. */
export const newestRequestQuery = queryOptions({
  queryKey: ['requests', 'newest'],
  queryFn: async () => (await call(api.GET('/api/requests', { params: { query: { limit: 1 } } }))).requests[0] ?? null,
});
