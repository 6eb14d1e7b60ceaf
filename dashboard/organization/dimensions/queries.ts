/** What the organization's usage is attributed to, from the API, and how that is changed. */
import { queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../app/api/api.ts';
import type { paths } from '../../generated/api.ts';

export type Dimensions = ApiResponse<'/api/organization/dimensions'>;
export type DimensionChange = NonNullable<
  paths['/api/organization/dimensions']['put']['requestBody']
>['content']['application/json'];

export const dimensionsQuery = queryOptions({
  queryKey: ['dimensions'],
  queryFn: () => call(api.GET('/api/organization/dimensions')),
});

export const changeDimensions = (body: DimensionChange) => call(api.PUT('/api/organization/dimensions', { body }));
