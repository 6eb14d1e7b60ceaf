/** /healthz: the process lives. /readyz: it can serve. /metrics: Prometheus. */
import { Elysia } from 'elysia';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { registerEventLoopStalls } from '../../shared/health/event-loop-stalls.ts';
import { refuseMetrics } from '../../shared/http/metrics-access.ts';
import { renderReadiness } from '../../shared/http/readiness.ts';
import { canSend } from '../../shared/redis/can-send.ts';
import type { ProxyServices } from '../services.ts';
import { registerHealthMetrics } from '../upstream/health/health-metrics.ts';

/** What is done around every request. */
type Answering = (request: Request, handle: () => Response | Promise<Response>) => Promise<Response>;

export function operationalRoutes(services: ProxyServices, state: { draining: boolean }, answer: Answering) {
  const registry = buildRegistry(services);
  return new Elysia()
    .get('/healthz', ({ request }) => answer(request, () => Response.json({ status: 'ok' })))
    .get('/readyz', ({ request }) =>
      answer(request, () => {
        const missing = findMissing(services, state);
        return Response.json(renderReadiness(missing), { status: missing.length === 0 ? 200 : 503 });
      }),
    )
    .get('/metrics', ({ request }) =>
      answer(request, async () => {
        const refusal = refuseMetrics(request.headers.get('authorization'), services.config.metricsToken);
        if (refusal !== undefined) throw refusal;
        return new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } });
      }),
    );
}

function findMissing(services: ProxyServices, state: { draining: boolean }): string[] {
  const missing: string[] = [];
  if (!canSend(services.redis)) missing.push('redis');
  if (services.catalogue.current() === undefined) missing.push('catalogue');
  if (services.settlement.replayBuffer.full) missing.push('replay buffer: full');
  if (services.settlement.redisWatch.memoryShort) missing.push('redis: memory');
  if (state.draining) missing.push('draining');
  return missing;
}

function buildRegistry(services: ProxyServices): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerEventLoopStalls(registry);
  new Gauge({
    name: 'gateway_running_requests',
    help: 'Requests that hold money now.',
    registers: [registry],
    collect() {
      this.set(services.settlement.running.size);
    },
  });
  new Gauge({
    name: 'gateway_replay_buffer_decisions',
    help: 'Charges that are not known to be in Postgres yet.',
    registers: [registry],
    collect() {
      this.set(services.settlement.replayBuffer.size);
    },
  });
  new Gauge({
    name: 'gateway_redis_memory_share',
    help: 'Part of the memory limit of Redis that is in use; no new request begins at 0.9.',
    registers: [registry],
    collect() {
      this.set(services.settlement.redisWatch.memoryShare);
    },
  });
  registerHealthMetrics(registry, services.deployments);
  return registry;
}
