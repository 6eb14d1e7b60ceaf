/** Liveness, readiness and metrics, for operators and orchestrators. */
import { Elysia } from 'elysia';
import { register } from 'prom-client';
import { refuseMetrics, renderReadiness } from '../../shared/http/operational.ts';
import type { AdminServices } from '../services.ts';
import { findMissing, type Lifecycle } from './readiness.ts';

const hidden = { detail: { hide: true } };

export const operationalRoutes = (services: AdminServices, lifecycle: Lifecycle) =>
  new Elysia()
    .get('/healthz', () => ({ status: 'ok' }), hidden)
    .get(
      '/readyz',
      async ({ set }) => {
        const missing = await findMissing(services, lifecycle);
        if (missing.length > 0) set.status = 503;
        return renderReadiness(missing);
      },
      hidden,
    )
    .get(
      '/metrics',
      async ({ request, set }) => {
        const refusal = refuseMetrics(request.headers.get('authorization'), services.config.metricsTokens);
        if (refusal !== undefined) throw refusal;
        set.headers['content-type'] = register.contentType;
        return register.metrics();
      },
      hidden,
    );
