/** Payments of all accounts, and what operators decide about them. */
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../app/api/api.ts';
import type { PaymentStatus } from '../../billing/queries.ts';

export type OperatorPayment = ApiResponse<'/api/operator/payments'>['payments'][number];
export type PaymentEvent = ApiResponse<'/api/operator/payments/{paymentId}/events'>['events'][number];

export interface PaymentFilter {
  readonly status?: PaymentStatus;
  readonly method?: string;
  readonly accountId?: number;
  readonly cursor?: string;
}

const pagePayments = 50;

/** What waits for a decision. */
export const reviewFilter: PaymentFilter = { status: 'review' };

export const operatorPaymentsQuery = (filter: PaymentFilter) =>
  queryOptions({
    queryKey: ['operator-payments', 'list', filter],
    queryFn: () => call(api.GET('/api/operator/payments', { params: { query: { ...filter, limit: pagePayments } } })),
    placeholderData: keepPreviousData,
  });

export const operatorPaymentQuery = (paymentId: string) =>
  queryOptions({
    queryKey: ['operator-payments', 'one', paymentId],
    queryFn: () => call(api.GET('/api/operator/payments/{paymentId}', { params: { path: { paymentId } } })),
  });

export const paymentEventsQuery = (paymentId: string) =>
  queryOptions({
    queryKey: ['operator-payments', 'events', paymentId],
    queryFn: () => call(api.GET('/api/operator/payments/{paymentId}/events', { params: { path: { paymentId } } })),
  });

export interface Confirmation {
  /** A day such as `2030-01-31`. */
  readonly paidAt: string;
  readonly reference: string;
  readonly reason: string;
}

export interface Refund {
  /** As much as possible without it. */
  readonly amount?: string;
  readonly reason: string;
}

const paramsOf = (paymentId: string, key: string) => ({ path: { paymentId }, header: { 'Idempotency-Key': key } });

export const confirmPayment = (id: string, body: Confirmation, key: string) =>
  call(api.POST('/api/operator/payments/{paymentId}/confirm', { body, params: paramsOf(id, key) }));

export const cancelPayment = (id: string, reason: string, key: string) =>
  call(api.POST('/api/operator/payments/{paymentId}/cancel', { body: { reason }, params: paramsOf(id, key) }));

export const refundPayment = (id: string, body: Refund, key: string) =>
  call(api.POST('/api/operator/payments/{paymentId}/refund', { body, params: paramsOf(id, key) }));

/** Everything that shows payments, or what they change. */
export async function refreshPayments(queries: QueryClient): Promise<void> {
  void queries.invalidateQueries({ queryKey: ['operator-account'] });
  void queries.invalidateQueries({ queryKey: ['operator-audit'] });
  await queries.invalidateQueries({ queryKey: ['operator-payments'] });
}
