/** Counts, times and logs every request. Labels are routes, not paths, because ids would create endless series. */
import { Elysia } from 'elysia';
import { Histogram } from 'prom-client';
import type { Log } from '../../shared/log.ts';
import { requestIdOf } from './response-headers.ts';

/** Its `_count` is the number of requests. */
const requestDuration = new Histogram({
  name: 'gateway_admin_request_duration_seconds',
  help: 'Requests to admin by method, route and status',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
});

const operationalRoutes: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
const unknownRoute = 'unknown';

export function requestMetrics(log: Log) {
  const startedAt = new WeakMap<Request, number>();
  return new Elysia({ name: 'request-metrics' })
    .onRequest(({ request }) => {
      startedAt.set(request, performance.now());
    })
    .onAfterResponse({ as: 'global' }, ({ request, route, set, responseValue }) => {
      const durationMs = performance.now() - (startedAt.get(request) ?? performance.now());
      const status = responseValue instanceof Response ? responseValue.status : Number(set.status ?? 200);
      const label = { method: request.method, route: route || unknownRoute, status };
      requestDuration.observe(label, durationMs / 1000);
      const level = operationalRoutes.has(label.route) ? 'debug' : 'info';
      log[level]({ requestId: requestIdOf(set), ...label, durationMs: Math.round(durationMs) }, 'request');
    });
}
