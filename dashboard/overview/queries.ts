/** What the overview asks for. */
import { queryOptions } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';

export const balanceQuery = queryOptions({
  queryKey: ['balance'],
  queryFn: () => call(api.GET('/api/balance')),
});
