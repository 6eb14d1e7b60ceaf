/** `gateway health`: the health of the deployments, as each running proxy sees it. */
import { readHealth } from '../../../../shared/health/deployment-health.ts';
import { renderHealth } from '../../../operations/render-health.ts';
import { command } from '../../command.ts';
import { listOf } from '../../list.ts';
import { requireRedis } from '../../with-redis.ts';

type Deployment = ReturnType<typeof renderHealth>['replicas'][number]['deployments'][number];

export const health = command({
  description: 'Show the health of the deployments in each proxy',
  args: {},
  run: () =>
    requireRedis(async (redis) => {
      const rendered = renderHealth(await readHealth(redis, Date.now()));
      const rows = rendered.replicas.flatMap(({ replica, deployments }) =>
        deployments.map((deployment) => ({ replica, ...deployment })),
      );
      const text = listOf(rows, {
        none: rendered.replicas.length === 0 ? 'No proxy is running.' : 'No deployment has been used yet.',
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

/** In plain words: an operator need not know that a closed circuit is the healthy one. */
function describeState({ state, readyAt }: Deployment): string {
  if (state === 'closed') return 'up';
  if (state === 'half_open') return 'being probed';
  return readyAt === null ? `${state}, probed by the next request` : `${state} until ${readyAt}`;
}
