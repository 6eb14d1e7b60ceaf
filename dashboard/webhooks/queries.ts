/** Webhook endpoints and their deliveries from the API, and what is changed in them. */
import { queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../app/api/api.ts';
import type { paths } from '../generated/api.ts';

export type Endpoint = ApiResponse<'/api/webhooks'>['webhooks'][number];
export type EventType = Endpoint['events'][number];
export type NewEndpoint = NonNullable<paths['/api/webhooks']['post']['requestBody']>['content']['application/json'];
export type EndpointChange = NonNullable<
  paths['/api/webhooks/{endpointId}']['put']['requestBody']
>['content']['application/json'];
export type Delivery = ApiResponse<'/api/webhooks/{endpointId}/deliveries'>['deliveries'][number];

const pathOf = (endpointId: string) => ({ params: { path: { endpointId } } });

export const endpointsQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: async () => (await call(api.GET('/api/webhooks'))).webhooks,
});

/** The newest first, in pages. */
export const deliveriesQuery = (endpointId: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['webhooks', endpointId, 'deliveries', cursor],
    queryFn: () =>
      call(
        api.GET('/api/webhooks/{endpointId}/deliveries', {
          params: { path: { endpointId }, query: cursor === undefined ? {} : { cursor } },
        }),
      ),
  });

/** The response is the only one that has the secret. */
export const createEndpoint = (body: NewEndpoint) => call(api.POST('/api/webhooks', { body }));

export const changeEndpoint = (id: string, body: EndpointChange) =>
  call(api.PUT('/api/webhooks/{endpointId}', { ...pathOf(id), body }));

export const deleteEndpoint = (id: string) => call(api.DELETE('/api/webhooks/{endpointId}', pathOf(id)));

/** The response is the only one that has the new secret. */
export const rotateSecret = (id: string) => call(api.POST('/api/webhooks/{endpointId}/rotate', pathOf(id)));

/** Resolves with what came of it. */
export const testEndpoint = (id: string) => call(api.POST('/api/webhooks/{endpointId}/test', pathOf(id)));

export const replayDelivery = (endpointId: string, deliveryId: number) =>
  call(
    api.POST('/api/webhooks/{endpointId}/deliveries/{deliveryId}/replay', {
      params: { path: { endpointId, deliveryId } },
    }),
  );
