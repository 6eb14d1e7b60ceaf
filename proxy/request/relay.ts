/**
 * The path of a request: authenticate → quote → begin → send → meter → settle. This is the only place with the
 * request's control flow; every path after the beginning ends in settle or release.
 */
import type { ModelKind } from '../../shared/catalogue/model-kinds.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import { digestOfForm, type Form } from '../../shared/http/intake/form.ts';
import type { Call } from '../nouns/call.ts';
import type { Dialect } from '../nouns/dialect.ts';
import type { FormFormat } from '../nouns/requests/form-value.ts';
import { announceRemoved } from '../nouns/requests/hosted-tools.ts';
import { namingModel, parameterOfModel, readRouting } from '../nouns/requests/routing.ts';
import { UpstreamFailure } from '../nouns/upstream-failure.ts';
import type { Bill } from '../pricing/bill.ts';
import { currentCatalogue, findIn } from '../pricing/find-model.ts';
import { begin } from './admission/begin.ts';
import { readOnce } from './admission/idempotency-key.ts';
import { planRequest } from './admission/planner.ts';
import { setRateHeaders } from './admission/rate-headers.ts';
import { type Receivable, receive } from './admission/receive.ts';
import { type CallSource, openCall } from './body/call-source.ts';
import { type CacheUse, cacheHeader } from './cache/cache-use.ts';
import { keepResponse } from './cache/completed-response.ts';
import { type AskedRequest, readCacheUse } from './cache/read-cache-use.ts';
import { respondFromCache } from './cache/respond-from-cache.ts';
import { payingSearches } from './planning/paid-search.ts';
import type { Plan } from './planning/plan.ts';
import { type Deferred, NotKept } from './response/deferred.ts';
import { deliverBody } from './response/deliver-body.ts';
import { deliverStream } from './response/deliver-stream.ts';
import { deploymentHeader, replayResponse } from './response/stored-response.ts';
import type { ProxyServices } from './services.ts';
import type { RunningRequest } from './settlement/running-request.ts';
import type { RequestTrace } from './tracing/request-trace.ts';
import { endedError } from './upstream/ended-error.ts';
import { sendInTurn } from './upstream/send-in-turn.ts';

export interface Endpoint {
  readonly kind: ModelKind;
  /** `value` is the parsed body. Throws GatewayError if it is not a valid request for this endpoint. */
  read(value: object, text: string, form: Form | undefined): Call;
  /** Set if the body is a form. */
  readonly form?: FormFormat;
  /** Whether it accepts token ids, of which there may be hundreds of thousands. */
  readonly takesTokenIds?: boolean;
  /** Whether its responses may be given again to the same requests. */
  readonly isRepeatable?: boolean;
  /** Set if the endpoint implements another vendor's API format. */
  readonly dialect?: Dialect;
  /** Set if the responses to some of its requests are translated, although its format is our own. */
  readonly dialectOf?: (call: Call) => Dialect | undefined;
}

/** A request, and the headers of its response. */
export interface Incoming extends Receivable {
  readonly requestId: string;
  readonly headers: Headers;
  /** Empty until the request has named a model of the catalogue. */
  modelId: string;
  /** Undefined if a client waits for the response. */
  readonly deferred?: Deferred;
}

/** Throws GatewayError before the first byte of the response; later errors are part of the stream. */
export function relay(services: ProxyServices, endpoint: Endpoint, incoming: Incoming): Promise<Response> {
  const trace = services.tracing?.begin(incoming);
  return trace === undefined
    ? relayRequest(services, endpoint, incoming)
    : relayTraced(services, trace, { endpoint, incoming });
}

async function relayTraced(
  services: ProxyServices,
  trace: RequestTrace,
  { endpoint, incoming }: Pick<Task, 'endpoint' | 'incoming'>,
): Promise<Response> {
  try {
    const response = await relayRequest(services, endpoint, incoming, trace);
    trace.responded(response.status);
    return response;
  } catch (error) {
    trace.failed(error);
    throw error;
  }
}

async function relayRequest(
  services: ProxyServices,
  endpoint: Endpoint,
  incoming: Incoming,
  trace?: RequestTrace,
): Promise<Response> {
  const startedAtMs = Date.now();
  const { request, requestId, headers } = incoming;
  // A large prompt is gone after this, until it is sent.
  const { source, ...admitted } = await receive(services, incoming, endpoint, (received) => {
    const { caller, timeline, text, value, form } = received;
    timeline.trace = trace;
    timeline.isDeferred = incoming.deferred !== undefined;
    trace?.authenticated();
    const catalogue = currentCatalogue(services.catalogue);
    const read = payingSearches(namingModel(endpoint.read), catalogue);
    const { whole, source } = openCall(incoming.deferred === undefined ? read : deferring(read), received);
    announceRemoved(headers, whole);
    const contentOf = () => (form === undefined ? text : digestOfForm(form));
    const once = whole.stream ? undefined : readOnce(request, { firstHash: caller.firstHash, contentOf });
    const found = findIn(catalogue, whole.model, parameterOfModel(value));
    incoming.modelId = found.id;
    trace?.describe(found, whole);
    const routing = readRouting(value, whole.model);
    const planner = planRequest(services, caller, { catalogue, kind: endpoint.kind, call: whole, routing });
    const mayRepeat = once === undefined && incoming.deferred === undefined;
    const cache = mayRepeat ? openCache(services, endpoint, { request, received, call: whole }) : undefined;
    const admitted = { source, caller, timeline, once, cache };
    if (planner instanceof Promise) return planner.then((later) => ({ ...admitted, planner: later }));
    return { ...admitted, planner };
  });
  const { cache, ...beginning } = admitted;
  const isDeferred = incoming.deferred !== undefined;
  const input = { requestId, startedAtMs, call: source.call, isDeferred, ...beginning };
  if (cache !== undefined) {
    const dialect = dialectOf(endpoint, source.call);
    const repeated = await respondFromCache(services, { ...input, use: cache, dialect, headers });
    if (repeated !== undefined) return repeated;
  }
  const begun = await begin(services, input, (rates) => setRateHeaders(headers, rates));
  if (begun.running === undefined) return replayResponse(begun.response, headers, services.config);
  // Rules that have changed since may demand another provider, or have ended the setting.
  const keptAs = cache?.rules === input.caller.rules ? cache : undefined;
  if (cache !== undefined && keptAs === undefined) headers.delete(cacheHeader);
  return carryOut(services, begun.running, { endpoint, incoming, source, plan: input.planner.plan, cache: keptAs });
}

/** Undefined for nearly every request. Of a large one, nothing is stored. */
function openCache(
  { responseCache }: ProxyServices,
  { isRepeatable = false }: Endpoint,
  asked: AskedRequest,
): CacheUse | undefined {
  if (!isRepeatable || !responseCache.isOn || asked.received.large !== undefined) return undefined;
  return readCacheUse(responseCache.organizations, asked);
}

/** Without a client that waits, a call may have another price. */
function deferring<Of extends unknown[]>(read: (...of: Of) => Call): (...of: Of) => Call {
  return (...of) => ({ ...read(...of), isDeferred: true });
}

function dialectOf(endpoint: Endpoint, call: Call): Dialect | undefined {
  return endpoint.dialect ?? endpoint.dialectOf?.(call);
}

interface Task {
  readonly endpoint: Endpoint;
  readonly incoming: Incoming;
  readonly source: CallSource;
  readonly plan: Plan;
  /** Where its response is stored for repetitions. */
  readonly cache: CacheUse | undefined;
}

/** From the hold to the response, whose charge is then on its way. */
async function carryOut(
  services: ProxyServices,
  running: RunningRequest,
  { endpoint, incoming, source, plan, cache }: Task,
): Promise<Response> {
  const { request, headers, caller, deferred } = incoming;
  const dialect = dialectOf(endpoint, source.call);
  const onFailure = (code: ErrorCode) => caller && services.errorCounts.count(caller.firstHash, code);
  abortWithClient(request.signal, running);
  try {
    const { response, source: asked } = await sendInTurn(services, {
      plan,
      source,
      running,
      dialect,
      records: cache !== undefined,
      deferred,
    });
    incoming.modelId = asked.call.model;
    if (services.config.exposeDeployments) headers.set(deploymentHeader, response.deployment.name);
    // Audio and subtitles have no place for it.
    if (plan.models.length > 1) headers.set('x-gateway-model', asked.call.model);
    announceRemoved(headers, asked.call);
    const onCharged =
      cache && ((bill: Bill) => keepResponse(services, cache, { response, bill, running, plan, call: asked.call }));
    if (response.kind === 'stream') {
      const { body } = incoming;
      incoming.body = undefined;
      return deliverStream(response, running, {
        ...{ headers, log: services.log, onFailure, onCharged },
        onEnd: () => body?.release(),
      });
    }
    const delivered = deliverBody(response, { call: asked.call, running, headers, dialect, onCharged, deferred });
    return delivered instanceof Promise ? await delivered : delivered;
  } catch (error) {
    await settleFailure(running, error, deferred);
    throw endedError(error, running.abort);
  }
}

/**
 * Nothing was delivered. The client is charged only if it disconnected while a provider was working, for the prompt or
 * the images being generated, or if the generated response is too large to be returned. A deferred request that fails is free.
 */
async function settleFailure(running: RunningRequest, error: unknown, deferred: Deferred | undefined): Promise<void> {
  if (error instanceof NotKept) running.leave();
  else if (deferred !== undefined) await running.release();
  else if (error instanceof UpstreamFailure && error.reason === 'oversized') running.settleByHold();
  else if (running.abort.reason === 'client_gone' && running.atProvider) running.settleDisconnect();
  else {
    const released = running.release();
    // An immediate repetition must find it.
    if (running.storesResponse) await released;
  }
}

function abortWithClient(signal: AbortSignal, running: RunningRequest): void {
  const close = () => running.connection.close();
  if (signal.aborted) close();
  else signal.addEventListener('abort', close, { once: true });
}
