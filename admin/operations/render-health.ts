/** The health of deployments in each proxy, as JSON. */
import type { ReplicaHealth } from '../../shared/health/deployment-health.ts';

export function renderHealth(replicas: readonly ReplicaHealth[]) {
  return {
    replicas: replicas.map(({ replica, writtenAtMs, deployments }) => ({
      replica,
      writtenAt: iso(writtenAtMs),
      deployments: deployments.map(({ lastFailure, readyAtMs, ...health }) => ({
        ...health,
        lastFailure: lastFailure && { reason: lastFailure.reason, at: iso(lastFailure.atMs) },
        readyAt: readyAtMs === null ? null : iso(readyAtMs),
      })),
    })),
  };
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
