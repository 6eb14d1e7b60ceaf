/**
 * The proxy's routes. Handlers pass requests to the relay and render what it throws as errors. Every response has a
 * request id.
 *
 * Idle connections are closed, whether the client vanished between or during requests or does not read its response.
 * While a request waits for its provider, its connection may be idle for any time. A stream is never idle for long,
 * because it has comments.
 */
import { Elysia } from 'elysia';
import type { Registry } from 'prom-client';
import { GatewayError } from '../shared/errors.ts';
import { exactAddress } from '../shared/http/client-address.ts';
import { UploadAborted } from '../shared/http/intake/bodies.ts';
import { internalError, renderError } from '../shared/http/render-error.ts';
import { checkHost, hostParam, pathOf } from '../shared/http/request-headers.ts';
import { allowPage, handlePreflight } from './api/cross-origin.ts';
import { handleBrowser, isFromBrowser } from './api/document/handle-browser.ts';
import { handleDocument, handleRoot } from './api/document/handle-document.ts';
import { anyForm, endpoints } from './api/endpoints.ts';
import { uploadForm } from './api/files/upload.ts';
import { creditsPath, handleCredits, handleKey, keyPath } from './api/key-status/key-status.ts';
import { handleTokenCount, tokenCountPath } from './api/messages/count-tokens.ts';
import { messagesDialect } from './api/messages/messages-dialect.ts';
import { describeModel, handleModelList } from './api/models/model-list.ts';
import { operationalRoutes, type ProgramState } from './api/operational-routes.ts';
import { handleQuote, quotePath } from './api/quote/quote-endpoint.ts';
import { methodsOfStorage, storageRoutes } from './api/storage-routes.ts';
import type { Dialect } from './nouns/dialect.ts';
import { currentCatalogue, findModel } from './pricing/find-model.ts';
import { clientLeftStatus } from './request/metrics/request-metrics.ts';
import { type Incoming, relay } from './request/relay.ts';
import type { ProxyServices } from './request/services.ts';
import { ClientDisconnected } from './request/upstream/ended-error.ts';

/** Bun itself refuses a body of this many times the limit; smaller ones are refused with our own error. */
const refusedByServerFactor = 4;

/** Bun's maximum. Clients that pool connections should close them first, or they may use one that is being closed. */
const defaultIdleSeconds = 255;

export interface ProxyServer {
  readonly port: number;
  /** Stops accepting connections; resolves when all running requests have ended. */
  stop(): Promise<void>;
  /** Closes all connections, including those in use. */
  close(): Promise<void>;
}

interface Serving {
  readonly state: ProgramState;
  readonly services: ProxyServices;
  /** How long the request's connection may be idle; 0 means forever. */
  setIdleLimit(request: Request, seconds: number): void;
  /** Of the connection, as long as the request is not answered. */
  socketAddressOf(request: Request): string | undefined;
  readonly idleSeconds: number;
}

export interface ServerOptions {
  /** What /metrics shows; the requests' own metrics are added to it. */
  readonly registry: Registry;
  /** Connections may be idle for so long, or up to 4 seconds less: Bun counts in steps. */
  readonly idleSeconds?: number;
}

export function startServer(
  services: ProxyServices,
  state: ProgramState,
  { registry, idleSeconds = defaultIdleSeconds }: ServerOptions,
): ProxyServer {
  const { host: hostname, port, reusePort } = services.config;
  const listening = { hostname, port, reusePort, idleTimeout: idleSeconds };
  const app = new Elysia({
    normalize: false,
    handler: { standardHostname: false },
    serve: {
      ...listening,
      maxRequestBodySize:
        Math.max(services.config.bodyMaxBytes, anyForm.maxBytes, uploadForm.maxBytes) * refusedByServerFactor,
    },
  });
  const serving: Serving = {
    state,
    services,
    setIdleLimit: (request, seconds) => app.server?.timeout(request, seconds),
    socketAddressOf: (request) => app.server?.requestIP(request)?.address,
    idleSeconds,
  };
  for (const [path, endpoint] of Object.entries(endpoints)) {
    app.post(
      path,
      ({ request }) =>
        handleRequest(serving, request, (incoming) => relay(services, endpoint, incoming), {
          dialect: endpoint.dialect,
          isInference: true,
        }),
      {
        parse: 'none',
      },
    );
  }
  const plain = (request: Request, handle: (incoming: Incoming) => Response | Promise<Response>, dialect?: Dialect) =>
    handleRequest(serving, request, (incoming) => withHeaders(incoming, handle), { dialect });
  app
    .post(quotePath, ({ request }) => plain(request, (incoming) => handleQuote(services, incoming)), {
      parse: 'none',
    })
    .post(
      tokenCountPath,
      ({ request }) => plain(request, (incoming) => handleTokenCount(services, incoming), messagesDialect),
      {
        parse: 'none',
      },
    )
    .get('/', ({ request }) => plain(request, () => handleHome(services, request)))
    .get('/v1', ({ request }) => plain(request, () => handleHome(services, request)))
    .get('/v1/models', ({ request }) =>
      plain(request, () => handleModelList(currentCatalogue(services.catalogue), request)),
    )
    .get('/v1/models/*', ({ request, params }) =>
      plain(request, () => Response.json(oneModel(services, unescaped(params['*'])))),
    )
    .get(keyPath, ({ request }) => plain(request, (incoming) => handleKey(services, incoming)))
    .get(creditsPath, ({ request }) => plain(request, (incoming) => handleCredits(services, incoming)))
    .get('/v1/openapi.json', ({ request }) => plain(request, () => handleDocument(request)))
    .options('/v1/*', ({ request }) => plain(request, () => handlePreflight()))
    .use(storageRoutes(services, plain))
    .use(operationalRoutes({ services, state, registry }, plain))
    .all('/*', ({ request }) =>
      handleRequest(serving, request, ({ headers }) => {
        throw unknownRoute(request, headers);
      }),
    );
  app.listen(listening);
  const { server } = app;
  if (server === null) throw new Error('the server did not start');
  return { port: server.port ?? port, stop: () => server.stop(false), close: () => server.stop(true) };
}

function handleHome({ config }: ProxyServices, request: Request): Response {
  return isFromBrowser(request) ? handleBrowser(config.adminPublicUrl) : handleRoot();
}

/** `handle` sets the headers of `incoming` on its response. */
async function handleRequest(
  { services, state, setIdleLimit, socketAddressOf, idleSeconds }: Serving,
  request: Request,
  handle: (incoming: Incoming) => Response | Promise<Response>,
  { dialect, isInference = false }: { readonly dialect?: Dialect | undefined; readonly isInference?: boolean } = {},
): Promise<Response> {
  const requestId = Bun.randomUUIDv7();
  const incoming: Incoming = {
    request,
    requestId,
    headers: new Headers({ 'x-request-id': requestId }),
    address: () =>
      exactAddress({
        socketAddress: socketAddressOf(request),
        forwardedFor: request.headers.get('x-forwarded-for') ?? undefined,
        trustedProxyHops: services.config.trustedProxyHops,
      }),
    arrived: () => setIdleLimit(request, 0),
    body: undefined,
    modelId: '',
    caller: undefined,
  };
  allowPage(incoming.headers, request);
  if (state.isShuttingDown) incoming.headers.set('connection', 'close');
  if (dialect?.requestIdHeader !== undefined) incoming.headers.set(dialect.requestIdHeader, requestId);
  try {
    checkHost(request.headers);
    const response = await handle(incoming);
    if (isInference) services.metrics.responded(incoming.modelId, response.status);
    return response;
  } catch (error) {
    const response = errorResponse(services, incoming, { error, dialect });
    if (isInference) services.metrics.responded(incoming.modelId, hasLeft(error) ? clientLeftStatus : response.status);
    return response;
  } finally {
    incoming.body?.release();
    setIdleLimit(request, idleSeconds);
  }
}

async function withHeaders(
  incoming: Incoming,
  handle: (incoming: Incoming) => Response | Promise<Response>,
): Promise<Response> {
  const response = await handle(incoming);
  for (const [name, value] of incoming.headers) response.headers.set(name, value);
  return response;
}

function errorResponse(
  services: ProxyServices,
  { request, requestId, headers, caller }: Incoming,
  { error, dialect }: { error: unknown; dialect: Dialect | undefined },
): Response {
  if (hasLeft(error)) {
    services.log.debug({ requestId, err: error }, 'the client disconnected before the response');
    return new Response(null, { status: 400, headers });
  }
  const shown = error instanceof GatewayError ? error : internalError(requestId, error);
  services.metrics.failed(shown.code);
  if (caller !== undefined) services.errorCounts.count(caller.firstHash, shown.code);
  const path = pathOf(request);
  if (shown.status >= 500) {
    services.log.error({ requestId, path, code: shown.code, err: shown.cause ?? shown }, 'request failed');
  } else if (shown.param === hostParam) {
    services.log.info({ requestId, path, code: shown.code }, 'malformed Host header');
  }
  const rendered = renderError(shown);
  for (const [name, value] of Object.entries(rendered.headers)) headers.set(name, value);
  return Response.json(dialect?.renderError(shown, requestId) ?? rendered.body, { status: rendered.status, headers });
}

/** The client left before it was answered. */
function hasLeft(error: unknown): boolean {
  return error instanceof UploadAborted || error instanceof ClientDisconnected;
}

function unknownRoute(request: Request, headers: Headers): GatewayError {
  const pathname = pathOf(request);
  const allowed = methodsOf(pathname);
  if (allowed === undefined) return new GatewayError('not_found', `There is no ${request.method} ${pathname}.`);
  // RFC 9110 §15.5.6: a 405 lists the allowed methods.
  headers.set('allow', allowed);
  return new GatewayError(
    'method_not_allowed',
    `${pathname} does not support ${request.method}. Use ${allowed.replace(', ', ' or ')}.`,
  );
}

const readOnly = /^\/(v1\/models(\/.+)?|v1\/key|v1\/credits|v1\/openapi\.json|healthz|readyz|metrics)?$/;

/** As the `Allow` header lists them; undefined for a path that does not exist. */
function methodsOf(path: string): string | undefined {
  if (Object.hasOwn(endpoints, path) || path === quotePath || path === tokenCountPath) return 'POST';
  return methodsOfStorage(path) ?? (readOnly.test(path) ? 'GET' : undefined);
}

/** An invalid escape is kept: no model has such an id. */
function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function oneModel({ catalogue }: ProxyServices, id: string) {
  return describeModel(findModel(catalogue, id), currentCatalogue(catalogue).rubRate);
}
