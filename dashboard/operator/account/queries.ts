/** What the page of one account asks for, and what operators change about it. */
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../app/api/api.ts';

export const accountTabs = ['keys', 'requests', 'transactions', 'users'] as const;
export type AccountTab = (typeof accountTabs)[number];

export type Account = ApiResponse<'/api/operator/accounts/{id}'>;
export type AccountKey = Account['keys'][number];
export type AccountUser = Account['users'][number];
export type AccountLimits = Account['limits'];
export type AccountRequest = ApiResponse<'/api/operator/accounts/{id}/requests'>['requests'][number];
export type OperatorReceipt = ApiResponse<'/api/operator/requests/{requestId}'>;
export type AccountTransaction = ApiResponse<'/api/operator/accounts/{id}/transactions'>['transactions'][number];

/** What every dialog about an account needs. */
export interface AccountDialogProps {
  readonly account: Account;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** How the account is named in titles and questions. */
export const nameOf = ({ email, id }: Account): string => email ?? `#${id}`;

const pageSize = 40;

export const transactionTypes = ['payment', 'refund', 'usage'] as const;
export type TransactionType = (typeof transactionTypes)[number];

export const accountQuery = (id: number) =>
  queryOptions({
    queryKey: ['operator-account', id],
    queryFn: () => call(api.GET('/api/operator/accounts/{id}', { params: { path: { id } } })),
  });

export const accountRequestsQuery = (id: number, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['operator-account', id, 'requests', cursor],
    queryFn: () => {
      const query = { limit: pageSize, ...(cursor !== undefined && { cursor }) };
      return call(api.GET('/api/operator/accounts/{id}/requests', { params: { path: { id }, query } }));
    },
    placeholderData: keepPreviousData,
  });

export interface TransactionsSearch {
  readonly type?: TransactionType | undefined;
  readonly cursor?: string | undefined;
}

export const accountTransactionsQuery = (id: number, { type, cursor }: TransactionsSearch) =>
  queryOptions({
    queryKey: ['operator-account', id, 'transactions', type, cursor],
    queryFn: () => {
      const query = { limit: pageSize, ...(type !== undefined && { type }), ...(cursor !== undefined && { cursor }) };
      const params = { path: { id }, query };
      return call(api.GET('/api/operator/accounts/{id}/transactions', { params }));
    },
    placeholderData: keepPreviousData,
  });

/** With the fields that only operators see. */
export const receiptQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['operator-receipt', requestId],
    queryFn: () => call(api.GET('/api/operator/requests/{requestId}', { params: { path: { requestId } } })),
  });

/** Everything that is shown of the account, and the lists that it is on. */
export async function refreshAccount(queries: QueryClient, id: number): Promise<void> {
  void queries.invalidateQueries({ queryKey: ['operator-accounts'] });
  void queries.invalidateQueries({ queryKey: ['operator-audit'] });
  await queries.invalidateQueries({ queryKey: ['operator-account', id] });
}

export interface Credit {
  readonly accountId: number;
  readonly usd: string;
  readonly reason: string;
}

export type CreditKind = 'credit' | 'refund';

/** Booked once for each key, however often it is sent. */
export function bookCredit(kind: CreditKind, body: Credit, idempotencyKey: string) {
  const params = { header: { 'Idempotency-Key': idempotencyKey } };
  return kind === 'credit'
    ? call(api.POST('/api/operator/payments', { body, params }))
    : call(api.POST('/api/operator/refunds', { body, params }));
}

export function changeLimits(id: number, body: AccountLimits & { reason: string }) {
  return call(api.PUT('/api/operator/accounts/{id}/limits', { body, params: { path: { id } } }));
}

export function blockAccount(id: number, reason: string) {
  return call(api.POST('/api/operator/accounts/{id}/block', { body: { reason }, params: { path: { id } } }));
}

export function unblockAccount(id: number, reason: string) {
  return call(api.POST('/api/operator/accounts/{id}/unblock', { body: { reason }, params: { path: { id } } }));
}

/** `balance` is what is given up; the API refuses if it is another amount by now. */
export function deleteAccount(id: number, { reason, balance }: { reason: string; balance: string }) {
  const body = { reason, ...(balance !== '0' && { forfeitBalanceUsd: balance }) };
  return call(api.DELETE('/api/operator/accounts/{id}', { body, params: { path: { id } } }));
}
