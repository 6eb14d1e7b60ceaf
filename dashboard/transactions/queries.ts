/** Transactions from the API. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, call } from '../app/api/api.ts';
import { rangeOf } from '../app/router/search.ts';
import { instantsOf } from '../app/time/days.ts';
import type { paths } from '../generated/api.ts';

export type Transaction =
  paths['/api/transactions']['get']['responses']['200']['content']['application/json']['transactions'][number];

export const transactionTypes = ['usage', 'payment', 'refund'] as const;
export type TransactionType = (typeof transactionTypes)[number];

export interface TransactionFilter {
  readonly from?: string;
  readonly to?: string;
  readonly type?: TransactionType;
}

const pageTransactions = 50;

export const transactionsQuery = ({ cursor, ...filter }: TransactionFilter & { readonly cursor?: string }) =>
  queryOptions({
    queryKey: ['transactions', filter, cursor],
    queryFn: () => {
      const query = { ...paramsOf(filter), limit: pageTransactions, ...(cursor !== undefined && { cursor }) };
      return call(api.GET('/api/transactions', { params: { query } }));
    },
    placeholderData: keepPreviousData,
  });

export const transactionsFile = (filter: TransactionFilter): string =>
  `/api/transactions/export?${new URLSearchParams(paramsOf(filter))}`;

function paramsOf({ type, ...days }: TransactionFilter) {
  const range = rangeOf(days);
  return { ...(range && instantsOf(range)), ...(type && { type }) };
}
