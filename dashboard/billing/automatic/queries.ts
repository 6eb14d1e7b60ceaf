/** Automatic top-ups from the API. */
import { queryOptions } from '@tanstack/react-query';
import { api, call } from '../../app/api/api.ts';
import type { paths } from '../../generated/api.ts';

type AutoTopUpPath = paths['/api/payments/auto-top-up'];
export type AutoTopUp = AutoTopUpPath['get']['responses'][200]['content']['application/json'];
export type AutoTopUpOrder = NonNullable<AutoTopUpPath['put']['requestBody']>['content']['application/json'];

export const autoTopUpQuery = queryOptions({
  queryKey: ['payments', 'auto-top-up'],
  queryFn: () => call(api.GET('/api/payments/auto-top-up')),
});

export const saveAutoTopUp = (body: AutoTopUpOrder) => call(api.PUT('/api/payments/auto-top-up', { body }));

export const switchOffAutoTopUp = () => call(api.DELETE('/api/payments/auto-top-up'));
