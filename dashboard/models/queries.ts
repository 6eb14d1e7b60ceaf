/** What the price list asks for. */
import { queryOptions } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';

export const priceListQuery = queryOptions({
  queryKey: ['models'],
  queryFn: () => call(api.GET('/api/models')),
});
