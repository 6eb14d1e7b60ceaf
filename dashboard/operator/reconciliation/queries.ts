/** What the page of the reconciliation asks for. */
import { queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../app/api/api.ts';
import { ApiError } from '../../app/api/api-error.ts';

export type Reconciliation = ApiResponse<'/api/operator/reconciliation'>;
export type Drift = Reconciliation['drift'];
export type Violation = Reconciliation['violations'][number];
export type DriftingAccount = Reconciliation['driftingAccounts'][number];

export type SealedMonth = ApiResponse<'/api/operator/seals'>['months'][number];

export const sealsQuery = queryOptions({
  queryKey: ['operator-seals'],
  queryFn: () => call(api.GET('/api/operator/seals')),
});

/** Null before the first one. */
export const reconciliationQuery = queryOptions({
  queryKey: ['operator-reconciliation'],
  queryFn: (): Promise<Reconciliation | null> =>
    call(api.GET('/api/operator/reconciliation')).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'not_found') return null;
      throw error;
    }),
});

export const runReconciliation = () => call(api.POST('/api/operator/reconciliation'));
