/** /healthz: the process is alive. /readyz: it can serve requests. /metrics: Prometheus. */
import { Elysia } from 'elysia';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { registerEventLoopStalls } from '../../shared/health/event-loop-stalls.ts';
import { refuseMetrics, renderReadiness } from '../../shared/http/operational.ts';
import { formatUsd } from '../../shared/money.ts';
import { canSend } from '../../shared/redis/can-send.ts';
import type { ProxyServices } from '../services.ts';
import { registerHealthMetrics } from '../upstream/health/health-metrics.ts';

export interface ProgramState {
  /** It is about to end: not ready any more, and each response closes its connection. */
  isLeaving: boolean;
}

/** Wraps the handling of every request. */
type Answering = (request: Request, handle: () => Response | Promise<Response>) => Promise<Response>;

export function operationalRoutes(services: ProxyServices, state: ProgramState, answer: Answering) {
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

function findMissing(services: ProxyServices, state: ProgramState): string[] {
  const missing: string[] = [];
  if (!canSend(services.redis)) missing.push('redis');
  if (services.catalogue.current() === undefined) missing.push('catalogue');
  if (services.settlement.replayBuffer.full) missing.push('replay buffer: full');
  if (services.settlement.redisWatch.memoryShort) missing.push('redis: memory');
  if (state.isLeaving) missing.push('leaving');
  return missing;
}

function buildRegistry(services: ProxyServices): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerEventLoopStalls(registry);
  new Gauge({
    name: 'gateway_running_requests',
    help: 'Requests in flight that hold money.',
    registers: [registry],
    collect() {
      this.set(services.settlement.running.size);
    },
  });
  new Gauge({
    name: 'gateway_replay_buffer_decisions',
    help: 'Charges not yet confirmed to be in Postgres.',
    registers: [registry],
    collect() {
      this.set(services.settlement.replayBuffer.size);
    },
  });
  new Gauge({
    name: 'gateway_redis_memory_share',
    help: "Share of Redis's memory limit in use; at 0.9, new requests are refused.",
    registers: [registry],
    collect() {
      this.set(services.settlement.redisWatch.memoryShare);
    },
  });
  new Gauge({
    name: 'gateway_unconfirmed_usd',
    help: 'What is at stake now for requests that were sent before Redis has confirmed their hold, in US dollars.',
    registers: [registry],
    collect() {
      this.set(Number(formatUsd(services.confidence.unconfirmedNano)));
    },
  });
  new Counter({
    name: 'gateway_confident_requests_total',
    help: 'Requests that were sent before Redis had confirmed their hold, by whether it did.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, requests] of Object.entries(services.confidence.outcomes)) this.inc({ outcome }, requests);
    },
  });
  registerHealthMetrics(registry, services.deployments);
  return registry;
}
