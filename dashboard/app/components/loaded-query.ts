/** In place of a query, for a table whose rows have come with something else. */
import type { TableQuery } from './data-table.tsx';

export const loadedQuery: TableQuery = {
  error: null,
  isFetching: false,
  refetch: () => Promise.reject(new Error('There is no query.')),
};
