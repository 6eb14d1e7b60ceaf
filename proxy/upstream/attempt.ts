/**
 * One deployment is asked once: until it has given its whole answer, or the first piece of a streamed one. Up to there
 * nothing has been delivered, and another deployment can be asked instead.
 */
import type { Operation, UpstreamBody } from '../adapters/adapter.ts';
import { adapterOf } from '../adapters/adapters.ts';
import { openTranslation, type Translation } from '../answer/open-translation.ts';
import type { Deployment, Model } from '../catalogue/catalogue.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { Call } from '../request/call.ts';
import type { ProxyServices } from '../services.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import type { Access } from './credentials/credentials.ts';
import { type FetchedAnswer, fetchAnswer } from './fetch-answer.ts';
import {
  answerMaxBytes,
  bodyHeadersTimeoutMs,
  idleTimeoutMs,
  pingIntervalMs,
  streamHeadersTimeoutMs,
  totalTimeoutMs,
} from './limits.ts';
import { readText } from './read-text.ts';
import { refusalOfProvider, refusalToStream } from './refusal-of-provider.ts';
import { UpstreamFailure } from './upstream-failure.ts';
import { UpstreamStream } from './upstream-stream.ts';

export interface SendInput {
  readonly model: Model;
  readonly call: Call;
  readonly running: RunningRequest;
  readonly dialect: Dialect | undefined;
}

/** Which deployment is asked, in whose words, for what. */
interface Asked {
  readonly operation: Operation;
  readonly deployment: Deployment;
  readonly input: SendInput;
}

export interface WholeAnswer {
  readonly kind: 'whole';
  readonly deployment: Deployment;
  readonly body: UpstreamBody;
}

export interface StreamedAnswer {
  readonly kind: 'stream';
  readonly deployment: Deployment;
  /** Has given its first piece, or has been silent for long. */
  readonly stream: UpstreamStream;
  readonly translation: Translation;
}

export type Answer = WholeAnswer | StreamedAnswer;

/** Throws UpstreamFailure, or GatewayError where the protocol cannot say what the client asks for. */
export async function attempt(services: ProxyServices, deployment: Deployment, input: SendInput): Promise<Answer> {
  const { model, call, running } = input;
  const { provider } = deployment;
  const adapter = adapterOf(provider.protocol);
  const operation = adapter.operations[model.kind];
  if (operation === undefined) throw new Error(`${provider.protocol} has no operation for models of ${model.kind}`);
  const fetched = await fetchWithAccess(services, { operation, deployment, input });
  try {
    running.lastBytesAtMs = Date.now();
    running.atProvider = fetched.response.ok;
    if (!fetched.response.ok) throw await refusalOfProvider(fetched.response, adapter);
    if (call.stream && isJson(fetched.response)) throw await refusalToStream(fetched.response, adapter);
    if (call.stream) return await beginStream(fetched, { operation, deployment, input });
    return { kind: 'whole', deployment, body: await takeBody(fetched.response, { operation, deployment, input }) };
  } catch (error) {
    fetched.close();
    throw error;
  }
}

/** A token that the provider refuses may have been revoked early: once more, with a new one. */
async function fetchWithAccess(services: ProxyServices, asked: Asked): Promise<FetchedAnswer> {
  const { credentials } = services;
  const { provider } = asked.deployment;
  const access = await credentials.accessTo(provider, asked.input.running.abort.signal);
  const fetched = await fetchOnce(asked, access);
  if (fetched.response.status !== 401 || !credentials.discard(provider, access)) return fetched;
  fetched.close();
  asked.input.running.atProvider = false;
  return fetchOnce(asked, await credentials.accessTo(provider, asked.input.running.abort.signal));
}

function fetchOnce({ operation, deployment, input }: Asked, { apiKey, ca }: Access): Promise<FetchedAnswer> {
  const { call, running } = input;
  const upstream = operation.buildRequest(call, { deployment, apiKey, outputCap: running.outputCap });
  handOver(running, deployment);
  const headersTimeoutMs = call.stream ? streamHeadersTimeoutMs : bodyHeadersTimeoutMs;
  return fetchAnswer({ ...upstream, ca }, deployment.provider.timeouts?.headersMs ?? headersTimeoutMs, running);
}

/** From here on the provider may be working for the client; one who has left before costs nobody anything. */
function handOver(running: RunningRequest, { name, provider, onDisconnect }: Deployment): void {
  if (running.abort.signal.aborted) {
    throw new UpstreamFailure('unreachable', 'The request has ended before it was sent.');
  }
  running.deployment = name;
  running.atProvider = true;
  running.departure.onDisconnect = onDisconnect;
  running.lastBytesAtMs = undefined;
  const { idleMs = idleTimeoutMs, totalMs = totalTimeoutMs } = provider.timeouts ?? {};
  running.timeouts = { idleMs, totalMs };
}

/** Some report an error in this way. */
function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') ?? false;
}

async function takeBody(response: Response, { operation, deployment, input }: Asked): Promise<UpstreamBody> {
  const { call, running } = input;
  let text: string;
  try {
    text = await readText(response, { maxBytes: answerMaxBytes, onBytes: (bytes) => running.received(bytes) });
  } catch (cause) {
    if (cause instanceof UpstreamFailure) throw cause;
    throw new UpstreamFailure('cut', 'The provider broke off its answer.', { cause });
  }
  return operation.readBody(text, call, deployment);
}

async function beginStream(
  { response, close }: FetchedAnswer,
  { operation, deployment, input }: Asked,
): Promise<Answer> {
  const { call, running, dialect } = input;
  const answerStream = operation.openStream?.(call, deployment);
  if (response.body === null || answerStream === undefined) {
    throw new UpstreamFailure('malformed', 'The provider answered without a body.');
  }
  const translation = openTranslation(answerStream, { call, dialect, requestId: running.requestId });
  const stream = new UpstreamStream(response.body, { translation: translation.stream, running, close });
  await stream.begin(pingIntervalMs);
  return { kind: 'stream', deployment, stream, translation };
}
