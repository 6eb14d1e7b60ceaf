/** Reports the health of deployments to Redis every few seconds, for operators. No request ever waits for it. */
import { removeHealth, writeHealth } from '../../../../shared/health/deployment-health.ts';
import { canSend } from '../../../../shared/redis/can-send.ts';
import type { ProxyServices } from '../../services.ts';

const reportIntervalMs = 10_000;

export interface HealthReports {
  /** Stops reporting, and removes the report from Redis. */
  stop(): Promise<void>;
}

export function startHealthReports(services: ProxyServices, replica: string): HealthReports {
  const { redis, log } = services;
  const report = async () => {
    forgetFormerDeployments(services);
    if (!canSend(redis)) return;
    const nowMs = Date.now();
    await writeHealth(redis, { replica, writtenAtMs: nowMs, deployments: services.deployments.snapshot(nowMs) });
  };
  const reportQuietly = () =>
    void report().catch((error: unknown) => log.debug({ err: error }, 'deployment health not written'));
  reportQuietly();
  const timer = setInterval(reportQuietly, reportIntervalMs);
  return {
    stop: async () => {
      clearInterval(timer);
      if (canSend(redis)) await removeHealth(redis, replica).catch(() => {});
    },
  };
}

function forgetFormerDeployments({ catalogue, deployments }: ProxyServices): void {
  const models = catalogue.current()?.models.values() ?? [];
  deployments.keepOnly(new Set([...models].flatMap((model) => model.deployments.map(({ name }) => name))));
}
