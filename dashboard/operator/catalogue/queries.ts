/** What the page of the catalogue asks for, and what it changes. */
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../app/api/api.ts';
import { ApiError } from '../../app/api/api-error.ts';
import type { paths } from '../../generated/api.ts';

export const catalogueTabs = ['models', 'change', 'compare', 'scheduled'] as const;

export type ListedModel = ApiResponse<'/api/models'>['models'][number];
export type PriceVersion = ApiResponse<'/api/operator/catalogue/prices'>['prices'][number];
export type ScheduledCatalogue = ApiResponse<'/api/operator/catalogue'>['scheduled'][number];
export type Preview = paths['/api/operator/catalogue/preview']['post']['responses'][200]['content']['application/json'];

export type PriceList = ApiResponse<'/api/operator/catalogue/price-list'>;
export type PriceListComparison =
  paths['/api/operator/catalogue/price-list/compare']['post']['responses'][200]['content']['application/json'];
export type ListComparison = Omit<PriceListComparison, 'version'>;
type TakenChanges =
  paths['/api/operator/catalogue/price-list/take-over']['post']['requestBody']['content']['application/json']['changes'];

/** Null before the first catalogue. */
export const catalogueQuery = queryOptions({
  queryKey: ['operator-catalogue'],
  queryFn: (): Promise<ApiResponse<'/api/operator/catalogue'> | null> =>
    call(api.GET('/api/operator/catalogue')).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'not_found') return null;
      throw error;
    }),
});

/** The models as customers see them. */
export const priceListQuery = queryOptions({
  queryKey: ['models'],
  queryFn: () => call(api.GET('/api/models')),
});

export const priceHistoryQuery = (model: string) =>
  queryOptions({
    queryKey: ['operator-catalogue', 'prices', model],
    queryFn: () => call(api.GET('/api/operator/catalogue/prices', { params: { query: { model } } })),
  });

/** What a file would change. Compared with the catalogue that is current at the time of the request. */
export const previewQuery = (catalogue: string) =>
  queryOptions({
    queryKey: ['operator-catalogue', 'preview', catalogue],
    queryFn: () => previewCatalogue(catalogue),
    gcTime: 0,
  });

export function previewCatalogue(catalogue: string): Promise<Preview> {
  return call(api.POST('/api/operator/catalogue/preview', { body: { catalogue } }));
}

/** The price list that the catalogue is compared with daily. */
export const priceListStateQuery = queryOptions({
  queryKey: ['operator-catalogue', 'price-list'],
  queryFn: () => call(api.GET('/api/operator/catalogue/price-list')),
});

/** With the configured list if none is given. */
export function comparePriceList(list: string | undefined): Promise<PriceListComparison> {
  return call(api.POST('/api/operator/catalogue/price-list/compare', { body: list === undefined ? {} : { list } }));
}

/** A catalogue file with the differences in it. Nothing has changed then. */
export function takeOverPriceList(list: string | undefined, changes: TakenChanges) {
  const body = { ...(list !== undefined && { list }), changes };
  return call(api.POST('/api/operator/catalogue/price-list/take-over', { body }));
}

/** Refused with `catalogue_changed` if another version than the expected one is current by then. */
export function applyCatalogue(catalogue: string, expectedVersion: number | null) {
  return call(api.PUT('/api/operator/catalogue', { body: { catalogue, expectedVersion } }));
}

export function scheduleCatalogue(catalogue: string, effectiveFrom: string) {
  return call(api.POST('/api/operator/catalogue/scheduled', { body: { catalogue, effectiveFrom } }));
}

export function cancelScheduled(id: number) {
  return call(api.DELETE('/api/operator/catalogue/scheduled/{id}', { params: { path: { id } } }));
}

export async function refreshCatalogue(queries: QueryClient): Promise<void> {
  void queries.invalidateQueries({ queryKey: ['models'] });
  void queries.invalidateQueries({ queryKey: ['operator-audit'] });
  await queries.invalidateQueries({ queryKey: ['operator-catalogue'] });
}
