/** The queries of the health page. Changes of circuits make both stale immediately. */
import { queryOptions } from '@tanstack/react-query';
import { type ApiResponse, api, call } from '../../app/api/api.ts';

export type Health = ApiResponse<'/api/operator/health'>;
export type Replica = Health['replicas'][number];
export type ReplicaDeployment = Replica['deployments'][number];
export type Lag = ApiResponse<'/api/operator/lag'>;

/** Which deployments the page can be limited to. */
export const deploymentFilters = ['troubled'] as const;

export const healthQuery = queryOptions({
  queryKey: ['operator-health'],
  queryFn: () => call(api.GET('/api/operator/health')),
});

export const lagQuery = queryOptions({
  queryKey: ['operator-health', 'lag'],
  queryFn: () => call(api.GET('/api/operator/lag')),
});
