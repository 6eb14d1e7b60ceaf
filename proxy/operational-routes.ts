/** /healthz: the process lives. /readyz: it can serve. /metrics: Prometheus. */
import { Elysia } from 'elysia';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ProxyServices } from './services.ts';

export function operationalRoutes(services: ProxyServices, state: { draining: boolean }) {
  const registry = buildRegistry(services);
  return new Elysia()
    .get('/healthz', () => Response.json({ status: 'ok' }))
    .get('/readyz', () => {
      const missing = findMissing(services, state);
      return Response.json({ ready: missing.length === 0, missing }, { status: missing.length === 0 ? 200 : 503 });
    })
    .get(
      '/metrics',
      async () => new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } }),
    );
}

function findMissing(services: ProxyServices, state: { draining: boolean }): string[] {
  const missing: string[] = [];
  if (services.redis.status !== 'ready') missing.push('redis');
  if (services.catalogue.current() === undefined) missing.push('catalogue');
  if (services.replayBuffer.full) missing.push('replay buffer: full');
  if (state.draining) missing.push('draining');
  return missing;
}

function buildRegistry(services: ProxyServices): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'gateway_running_requests',
    help: 'Requests that hold money now.',
    registers: [registry],
    collect() {
      this.set(services.running.size);
    },
  });
  new Gauge({
    name: 'gateway_replay_buffer_decisions',
    help: 'Settles and releases that Redis has not confirmed yet.',
    registers: [registry],
    collect() {
      this.set(services.replayBuffer.size);
    },
  });
  return registry;
}
