/** Payments and payment methods from the API. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';
import { callInDetail } from '../app/api/detailed-call.ts';
import type { paths } from '../generated/api.ts';

export type Payment =
  paths['/api/payments']['get']['responses'][200]['content']['application/json']['payments'][number];
export type Methods = paths['/api/payments/methods']['get']['responses'][200]['content']['application/json'];
export type Method = Methods['methods'][number];
export type Order = NonNullable<paths['/api/payments']['post']['requestBody']>['content']['application/json'];

export const pagePayments = 25;

export const methodsQuery = queryOptions({
  queryKey: ['payment-methods'],
  queryFn: () => call(api.GET('/api/payments/methods')),
  // The rate changes once a day.
  staleTime: 60_000,
});

export const paymentsQuery = (offset = 0) =>
  queryOptions({
    queryKey: ['payments', 'list', offset],
    queryFn: () => call(api.GET('/api/payments', { params: { query: { limit: pagePayments, offset } } })),
    placeholderData: keepPreviousData,
  });

export const paymentQuery = (paymentId: string) =>
  queryOptions({
    queryKey: ['payments', 'one', paymentId],
    queryFn: () => call(api.GET('/api/payments/{paymentId}', { params: { path: { paymentId } } })),
  });

/** Ordered once for each key. Throws DetailedError with every company detail that is missing. */
export function orderPayment(body: Order, idempotencyKey: string) {
  return callInDetail(api.POST('/api/payments', { body, params: { header: { 'Idempotency-Key': idempotencyKey } } }));
}
