/** Admin's HTTP side put together: what happens around every request, and what answers it. */
import { Elysia } from 'elysia';
import { apiRoutes } from './api/routes.ts';
import { PasswordHasher } from './auth/passwords/password-hasher.ts';
import { docsRoutes } from './docs/docs-routes.ts';
import { answerHeaders } from './http/answer-headers.ts';
import { errorAnswers } from './http/error-answers.ts';
import { operationalRoutes } from './http/operational-routes.ts';
import type { Lifecycle } from './http/readiness.ts';
import { noticeForwarded } from './http/request/forwarded-requests.ts';
import { jsonBodies } from './http/request/json-bodies.ts';
import { requestMetrics } from './http/request-metrics.ts';
import type { AdminServices } from './services.ts';

/** A quiet connection is closed after this; no answer of admin takes nearly as long. */
const idleTimeoutSeconds = 60;

export function createServer(services: AdminServices, lifecycle: Lifecycle) {
  const { config, log } = services;
  const routes = apiRoutes(services, new PasswordHasher());
  const server = new Elysia({
    // Elysia's own trimming of objects would hide unknown fields; the schemas are checked by our own code.
    normalize: false,
    // Hosts of up to three characters would break routes.
    handler: { standardHostname: false },
    serve: {
      idleTimeout: idleTimeoutSeconds,
      // Two programs on one port would share it silently.
      reusePort: false,
      // The limit is ours to enforce, with an answer of our own shape; nothing is read before.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    },
  });
  return server
    .use(answerHeaders)
    .use(noticeForwarded(services))
    .use(requestMetrics(log))
    .use(errorAnswers(log, () => server))
    .use(jsonBodies(services, () => server))
    .use(operationalRoutes(services, lifecycle))
    .use(docsRoutes(routes, { proxyUrl: config.proxyPublicUrl }))
    .use(routes);
}
