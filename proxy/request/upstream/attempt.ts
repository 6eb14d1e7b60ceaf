/**
 * Sends the request to one deployment, until it has returned a whole response or the first chunk of a streamed one. Until
 * then nothing has been delivered, and another deployment can be tried instead.
 */

import { kinds } from '../../../shared/catalogue/model-kinds.ts';
import { monotonicMs } from '../../../shared/durations.ts';
import type { Dialect } from '../../nouns/dialect.ts';
import { type HttpResponse, isSuccess } from '../../nouns/http-response.ts';
import {
  bodyHeadersTimeoutMs,
  defaultTimeouts,
  pingIntervalMs,
  responseMaxBytes,
  streamHeadersTimeoutMs,
} from '../../nouns/limits.ts';
import { readText } from '../../nouns/read-text.ts';
import type { Preferences } from '../../nouns/requests/routing.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import type { Deployment, Model } from '../../pricing/catalogue.ts';
import { RequestMeter } from '../../pricing/request-meter.ts';
import type { Adapter, Division, Operation, UpstreamBody, UpstreamRequest } from '../../providers/adapter.ts';
import { adapterOf, operationOf } from '../../providers/adapters.ts';
import type { Access } from '../../providers/credentials/credentials.ts';
import type { CallSource } from '../body/call-source.ts';
import type { Batched, Deferred } from '../response/deferred.ts';
import { openTranslation, type Translation } from '../response/open-translation.ts';
import type { ProxyServices } from '../services.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import type { ProviderClient } from './provider-client.ts';
import { refusalOfProvider, refusalToStream } from './refusal-of-provider.ts';
import { sendRequest } from './send-request.ts';
import { UpstreamStream } from './upstream-stream.ts';

export interface SendInput {
  readonly model: Model;
  readonly source: CallSource;
  readonly running: RunningRequest;
  readonly dialect: Dialect | undefined;
  /** Whether a streamed response is kept for repetitions. */
  readonly records: boolean;
  /** That stays with its deployment. */
  readonly conversation: bigint | undefined;
  readonly preferences: Preferences | undefined;
  /** How often the deployments are tried. */
  readonly rounds: number;
  /** Undefined if a client waits for the response. */
  readonly deferred?: Deferred | undefined;
}

/** One deployment with its adapter, and what to request from it. */
interface Attempt {
  readonly client: Pick<ProviderClient, 'post'>;
  /** Undefined if it is sent on its own. */
  readonly batched: Batched | undefined;
  readonly adapter: Adapter;
  readonly operation: Operation;
  readonly deployment: Deployment;
  readonly input: SendInput;
  readonly meter: RequestMeter;
}

export interface WholeResponse {
  readonly kind: 'whole';
  readonly deployment: Deployment;
  readonly body: UpstreamBody;
}

export interface StreamedResponse {
  readonly kind: 'stream';
  readonly deployment: Deployment;
  /** Has returned its first chunk, or has been silent for long. */
  readonly stream: UpstreamStream;
  readonly translation: Translation;
}

export type UpstreamResponse = WholeResponse | StreamedResponse;

/** Throws UpstreamFailure, or GatewayError if the protocol does not support what the client requests. */
export async function attempt(
  services: ProxyServices,
  deployment: Deployment,
  input: SendInput,
  batched?: Batched,
): Promise<UpstreamResponse> {
  const { credentials, providerClient } = services;
  const { model, running } = input;
  const { call } = input.source;
  const { provider } = deployment;
  const adapter = adapterOf(provider.protocol);
  const operation = operationOf(provider.protocol, model.kind);
  if (operation === undefined) throw new Error(`${provider.protocol} has no operation for models of ${model.kind}`);
  const { accountId } = running;
  const meter = new RequestMeter({ accountId, call, model, deployment }, services.calibrations.of(deployment));
  const client = batched?.client ?? providerClient;
  const current = { client, batched, adapter, operation, deployment, input, meter };
  const found = credentials.accessTo(provider, running.abort);
  let access = found instanceof Promise ? await found : found;
  let response = await send(current, access);
  if (response.status === 401 && credentials.discard(provider, access)) {
    // The token may have been revoked early: retry once with a new one.
    running.abort.endAttempt();
    running.atProvider = false;
    access = await credentials.accessTo(provider, running.abort);
    response = await send(current, access);
  }
  try {
    running.lastBytesAtMs = monotonicMs();
    running.atProvider = isSuccess(response);
    if (!isSuccess(response)) throw await refusalOfProvider(response, adapter);
    if (call.stream && isJson(response)) throw await refusalToStream(response, adapter);
    if (call.stream) return await beginStream(response, current);
    const text = await readBilled(response, running, responseMaxBytes);
    running.timeline.respondedAtMs = monotonicMs();
    const { division } = operation;
    const body =
      division === undefined
        ? operation.readBody(text, call, deployment)
        : await readParts(text, current, { access, division });
    return { kind: 'whole', deployment, body };
  } catch (error) {
    running.abort.endAttempt();
    throw error;
  }
}

/** Of a divided call, the other parts are sent once the first one has its response. */
async function readParts(
  first: string,
  current: Attempt,
  { access, division }: { access: Access; division: Division },
): Promise<UpstreamBody> {
  const { adapter, input } = current;
  const { running, source } = input;
  const texts = [first];
  let bytesLeft = responseMaxBytes - first.length;
  for (let part = 1; part < division.countOf(source.call); part += 1) {
    const response = await send(current, access, part);
    running.lastBytesAtMs = monotonicMs();
    if (!isSuccess(response)) throw await refusalOfProvider(response, adapter);
    const next = await readBilled(response, running, bytesLeft);
    texts.push(next);
    bytesLeft -= next.length;
  }
  running.timeline.respondedAtMs = monotonicMs();
  return division.readBodies(texts, source.call);
}

function readBilled(response: HttpResponse, receiver: RunningRequest, maxBytes: number): Promise<string> {
  return readText(response, { maxBytes, receiver, isBilled: true }).catch(brokenOff);
}

/** Throws, or resolves with the head of the response. `part` is that of a divided call. */
function send(current: Attempt, access: Access, part = 0): Promise<HttpResponse> {
  const { operation, deployment, input, meter } = current;
  const { running, source } = input;
  const { division } = operation;
  const built = source.build((whole) => {
    if (whole !== source.call) meter.weighBefore(whole);
    const call = division === undefined || division.countOf(whole) === 1 ? whole : division.partOf(whole, part);
    return operation.buildRequest(call, { deployment, apiKey: access.apiKey, outputCap: running.outputCap });
  });
  if (!(built instanceof Promise) && access.sign === undefined) return sendBuilt(current, access, built);
  return sendLater(current, access, built);
}

async function sendLater(
  current: Attempt,
  access: Access,
  built: UpstreamRequest | Promise<UpstreamRequest>,
): Promise<HttpResponse> {
  const request = await built;
  return sendBuilt(current, access, (await access.sign?.(request)) ?? request);
}

function sendBuilt(current: Attempt, { ca }: Access, request: UpstreamRequest): Promise<HttpResponse> {
  const { client, batched, deployment, input } = current;
  const { running, source } = input;
  const { call } = source;
  const upstream = running.timeline.trace?.passOn(request) ?? request;
  markAsSent(current);
  // Some providers send nothing before all is made.
  const isGradual = call.stream && !kinds[call.kind].isMadeWhole;
  const defaultMs = isGradual ? streamHeadersTimeoutMs : bodyHeadersTimeoutMs;
  const headersTimeoutMs = batched?.patienceMs ?? deployment.provider.timeouts?.headersMs ?? defaultMs;
  return sendRequest(client, upstream, { ca, headersTimeoutMs, running });
}

/**
 * From here on the provider may be generating output. If the client left before, the request costs nothing; if it leaves between
 * the parts of a divided call, it pays for all of them, and all are sent.
 */
function markAsSent({ deployment, input: { source, running }, meter, batched }: Attempt): void {
  const { name, provider, onDisconnect } = deployment;
  if (running.abort.reason !== undefined || (running.connection.closed && !running.atProvider)) {
    throw new UpstreamFailure('unreachable', 'The request ended before it was sent.');
  }
  running.deployment = name;
  running.atProvider = true;
  running.sentAtMs = monotonicMs();
  running.timeline.sentAtMs ??= running.sentAtMs;
  running.connection.onDisconnect = onDisconnect;
  const { call } = source;
  const { isMadeWhole } = kinds[call.kind];
  // No one else can tell how far a whole response is.
  running.connection.needsUsage = () => (call.stream || isMadeWhole ? meter.needsUsage(null) : running.abandon());
  running.meter = meter;
  running.lastBytesAtMs = undefined;
  const { timeouts } = provider;
  running.timeouts = timeouts === undefined ? defaultTimeouts : { ...defaultTimeouts, ...timeouts };
  if (batched === undefined) return;
  running.timeouts = { ...running.timeouts, totalMs: batched.patienceMs };
  running.timeline.isBatched = true;
}

/** Some providers report errors this way. */
function isJson({ headers }: HttpResponse): boolean {
  return headers.get('content-type')?.startsWith('application/json') ?? false;
}

function brokenOff(cause: unknown): never {
  if (cause instanceof UpstreamFailure) throw cause;
  throw new UpstreamFailure('cut', 'The provider ended its response early.', { cause });
}

async function beginStream(response: HttpResponse, current: Attempt): Promise<UpstreamResponse> {
  const { adapter, operation, deployment, input, meter } = current;
  const { running, dialect, records } = input;
  const { call } = input.source;
  const responseStream = operation.openStream?.(call, deployment, {
    scale: meter.scale,
    contentType: response.headers.get('content-type') ?? undefined,
    outputCap: running.outputCap,
  });
  if (responseStream === undefined) {
    throw new UpstreamFailure('malformed', 'The provider returned a response without a body.');
  }
  running.connection.needsUsage = () => meter.needsUsage(responseStream.usage);
  const translation = openTranslation(responseStream, { call, dialect, requestId: running.requestId, records });
  const { framing = adapter.openFraming(), mediaType } = responseStream;
  const stream = new UpstreamStream(response, { framing, translation: translation.stream, running });
  // Without pings and error events, the client waits for the headers instead.
  await stream.begin(mediaType === undefined ? pingIntervalMs : undefined).catch((error: unknown) => {
    translation.recorded?.forget();
    throw error;
  });
  return { kind: 'stream', deployment, stream, translation };
}
