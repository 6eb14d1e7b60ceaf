/** In place of a query, for a table whose rows have come with something else. */
import type { UseQueryResult } from '@tanstack/react-query';

type Query = Pick<UseQueryResult, 'error' | 'refetch' | 'isFetching'>;

export const loaded: Query = { error: null, isFetching: false, refetch: () => Promise.reject(new Error('no query')) };
