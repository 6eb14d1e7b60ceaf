/** Assembles admin's HTTP server: what wraps every request, and the routes that serve it. */
import { Elysia } from 'elysia';
import { docsRoutes } from './api/docs/docs-routes.ts';
import { testPaymentPage } from './api/payments/test-payment-page.ts';
import { apiRoutes } from './api/routes.ts';
import { jsonBodies } from './auth/json-bodies.ts';
import { PasswordHasher } from './auth/passwords/password-hasher.ts';
import { serveDashboard } from './dashboard/dashboard-routes.ts';
import { errorResponses } from './http/error-responses.ts';
import { operationalRoutes } from './http/operational-routes.ts';
import type { Lifecycle } from './http/readiness.ts';
import { noticeForwarded } from './http/request/forwarded-requests.ts';
import { requestMetrics } from './http/request-metrics.ts';
import { responseHeaders } from './http/response-headers.ts';
import { openPayments } from './payments/payment-services.ts';
import type { AdminServices } from './services.ts';

/** Idle connections are closed after this; no response of admin takes nearly as long. */
const idleTimeoutSeconds = 60;

export function createServer(services: AdminServices, lifecycle: Lifecycle, passwords = new PasswordHasher()) {
  const { config, log } = services;
  const payments = openPayments(services);
  const routes = apiRoutes(services, payments, passwords);
  const dashboard = serveDashboard({ publicUrl: config.publicUrl, proxyUrl: config.proxyPublicUrl });
  const server = new Elysia({
    // Elysia would silently strip unknown fields; our own code checks the schemas.
    normalize: false,
    // Host names of up to three characters would break routing.
    handler: { standardHostname: false },
    serve: {
      idleTimeout: idleTimeoutSeconds,
      // Otherwise two programs could share one port silently.
      reusePort: false,
      // We enforce the limit ourselves, with our own error; nothing is read before.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    },
  });
  return (
    server
      .use(responseHeaders(lifecycle))
      .use(noticeForwarded(services))
      .use(requestMetrics(log))
      // Before the errors: the page serves addresses that no route has.
      .use(dashboard.pages)
      .use(errorResponses(log, () => server))
      .use(jsonBodies(services, () => server))
      .use(operationalRoutes(services, lifecycle))
      .use(dashboard.routes)
      .use(docsRoutes(routes, { proxyUrl: config.proxyPublicUrl }))
      .use(testPaymentPage(payments))
      .use(routes)
  );
}
