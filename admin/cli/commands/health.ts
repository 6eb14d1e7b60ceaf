/** `gateway health`: how the deployments fare in each running proxy. */
import { readHealth } from '../../../shared/health/deployment-health.ts';
import { renderHealth } from '../../operations/render-health.ts';
import { command } from '../command.ts';
import { requireRedis } from '../require-redis.ts';

export const health = command({
  description: 'Show how the deployments fare in each proxy',
  args: {},
  run: () =>
    requireRedis(async (redis) => {
      const rendered = renderHealth(await readHealth(redis, Date.now()));
      const lines = rendered.replicas.flatMap(({ replica, deployments }) =>
        deployments.map(({ deployment, state, requests, failures, meanLatencyMs, lastFailure }) => {
          const failure = lastFailure === null ? '' : `${lastFailure.reason} at ${lastFailure.at}`;
          const latency = meanLatencyMs === null ? '' : `${meanLatencyMs} ms`;
          return [replica, deployment, state, `${failures} of ${requests} failed`, latency, failure].join('\t');
        }),
      );
      const text =
        rendered.replicas.length === 0 ? 'No proxy is running.' : lines.join('\n') || 'Nothing was asked yet.';
      return { text, object: rendered };
    }),
});
