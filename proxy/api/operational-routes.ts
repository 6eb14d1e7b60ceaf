/** /healthz: the process is alive. /readyz: it can serve requests. /metrics: Prometheus. */
import { Elysia } from 'elysia';
import type { Registry } from 'prom-client';
import { refuseMetrics, renderReadiness } from '../../shared/http/operational.ts';
import { canSend } from '../../shared/redis/can-send.ts';
import { registerMetrics } from '../request/metrics/proxy-registry.ts';
import type { ProxyServices } from '../request/services.ts';

export interface ProgramState {
  /** It is about to end: no longer ready, and each response closes its connection. */
  isShuttingDown: boolean;
}

/** Wraps the handling of every request. */
type Handling = (request: Request, handle: () => Response | Promise<Response>) => Promise<Response>;

interface Operated {
  readonly services: ProxyServices;
  readonly state: ProgramState;
  readonly registry: Registry;
}

export function operationalRoutes({ services, state, registry }: Operated, handleRequest: Handling) {
  registerMetrics(registry, services, () => findMissing(services, state).length === 0);
  return new Elysia()
    .get('/healthz', ({ request }) => handleRequest(request, () => Response.json({ status: 'ok' })))
    .get('/readyz', ({ request }) =>
      handleRequest(request, () => {
        const missing = findMissing(services, state);
        return Response.json(renderReadiness(missing), { status: missing.length === 0 ? 200 : 503 });
      }),
    )
    .get('/metrics', ({ request }) =>
      handleRequest(request, async () => {
        const refusal = refuseMetrics(request.headers.get('authorization'), services.config.metricsTokens);
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
  if (state.isShuttingDown) missing.push('leaving');
  return missing;
}
