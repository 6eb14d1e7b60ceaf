/** How pages ask the API: once for all who need the same, again when the window is looked at, and twice if it fails. */
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

const staleMs = 15_000;
const retriesMax = 1;

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: staleMs,
        // A page shows immediately that there is no connection, instead of waiting for one.
        networkMode: 'always',
        retry: (failures, error) => failures < retriesMax && error instanceof ApiError && error.isTransient,
        retryDelay: 500,
      },
      mutations: { networkMode: 'always' },
    },
  });
}
