/** What the billing page asks for, and what it creates: payments, payment methods and automatic top-ups. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';
import { callInDetail } from '../app/api/detailed-call.ts';
import type { paths } from '../generated/api.ts';

/** The tabs of the billing page, as its address names them. */
export const billingTabs = ['payments', 'documents', 'automatic'] as const;

/** The states of a payment, in the order of filters. */
export const paymentStatuses = ['review', 'pending', 'succeeded', 'refunded', 'canceled', 'expired'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export type Payment =
  paths['/api/payments']['get']['responses'][200]['content']['application/json']['payments'][number];
export type Methods = paths['/api/payments/methods']['get']['responses'][200]['content']['application/json'];
export type Method = Methods['methods'][number];
export type PaymentInput = NonNullable<paths['/api/payments']['post']['requestBody']>['content']['application/json'];

type AutoTopUpPath = paths['/api/payments/auto-top-up'];
export type AutoTopUp = AutoTopUpPath['get']['responses'][200]['content']['application/json'];
export type AutoTopUpInput = NonNullable<AutoTopUpPath['put']['requestBody']>['content']['application/json'];

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
export function createPayment(body: PaymentInput, idempotencyKey: string) {
  return callInDetail(api.POST('/api/payments', { body, params: { header: { 'Idempotency-Key': idempotencyKey } } }));
}

export const autoTopUpQuery = queryOptions({
  queryKey: ['payments', 'auto-top-up'],
  queryFn: () => call(api.GET('/api/payments/auto-top-up')),
});

export const saveAutoTopUp = (body: AutoTopUpInput) => call(api.PUT('/api/payments/auto-top-up', { body }));

export const switchOffAutoTopUp = () => call(api.DELETE('/api/payments/auto-top-up'));
