/** The profile of the user. */
import { queryOptions } from '@tanstack/react-query';
import { api, call } from '../api/api.ts';

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: () => call(api.GET('/api/profile')),
});
