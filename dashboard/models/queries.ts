/** The price list, as the API answers it, and how it can be narrowed and sorted. */
import { queryOptions } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';
import type { paths } from '../generated/api.ts';

export type PriceList = paths['/api/models']['get']['responses'][200]['content']['application/json'];
export type Model = PriceList['models'][number];
export type ModelKind = Model['kind'];

export const modelKinds = ['chat', 'completion', 'embedding', 'image'] as const satisfies readonly ModelKind[];

/** The catalogue's own order is that without a choice. */
export const sortings = ['name', 'prompt', 'completion', 'cost', 'context', 'newest'] as const;
export type Sorting = (typeof sortings)[number];

export const priceListQuery = queryOptions({
  queryKey: ['models'],
  queryFn: () => call(api.GET('/api/models')),
});
