/** `gateway health`: how the deployments fare in each running proxy. */
import { readHealth } from '../../../../shared/health/deployment-health.ts';
import { renderHealth } from '../../../operations/render-health.ts';
import { command } from '../../command.ts';
import { listOf } from '../../list.ts';
import { requireRedis } from '../../require-redis.ts';

type Deployment = ReturnType<typeof renderHealth>['replicas'][number]['deployments'][number];

export const health = command({
  description: 'Show how the deployments fare in each proxy',
  args: {},
  run: () =>
    requireRedis(async (redis) => {
      const rendered = renderHealth(await readHealth(redis, Date.now()));
      const rows = rendered.replicas.flatMap(({ replica, deployments }) =>
        deployments.map((deployment) => ({ replica, ...deployment })),
      );
      const text = listOf(rows, {
        none: rendered.replicas.length === 0 ? 'No proxy is running.' : 'Nothing was asked yet.',
        columns: {
          PROXY: ({ replica }) => replica,
          DEPLOYMENT: ({ deployment }) => deployment,
          STATE: describeState,
          REQUESTS: ({ requests }) => requests,
          FAILED: ({ failures }) => failures,
          LATENCY: ({ meanLatencyMs }) => (meanLatencyMs === null ? null : `${meanLatencyMs} ms`),
          'LAST FAILURE': ({ lastFailure }) => lastFailure && `${lastFailure.reason} at ${lastFailure.at}`,
        },
      });
      return { text, object: rendered };
    }),
});

/** As people say it: that a closed circuit is the one that works, an operator need not know. */
function describeState({ state, readyAt }: Deployment): string {
  if (state === 'closed') return 'up';
  if (state === 'half_open') return 'being probed';
  return readyAt === null ? `${state}, probed by the next request` : `${state} until ${readyAt}`;
}
