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
  const apiKey = providerKeyOf(services, deployment);
  const upstream = operation.buildRequest(call, { deployment, apiKey, outputCap: running.outputCap });
  handOver(running, deployment);
  const headersTimeoutMs = call.stream ? streamHeadersTimeoutMs : bodyHeadersTimeoutMs;
  const fetched = await fetchAnswer(upstream, provider.timeouts?.headersMs ?? headersTimeoutMs, running);
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

function providerKeyOf({ config }: ProxyServices, { provider }: Deployment): string | undefined {
  if (provider.apiKeyEnv === '') return undefined;
  const apiKey = config.providerKey(provider.apiKeyEnv);
  if (apiKey !== undefined) return apiKey;
  // As good as a key that the provider does not know.
  throw new UpstreamFailure('refused', `The provider's key is not configured.`, { status: 401 });
}

/** From here on the provider may be working for the client. */
function handOver(running: RunningRequest, { name, provider, onDisconnect }: Deployment): void {
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

async function takeBody(
  response: Response,
  { operation, deployment, input }: { operation: Operation; deployment: Deployment; input: SendInput },
): Promise<UpstreamBody> {
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
  { operation, deployment, input }: { operation: Operation; deployment: Deployment; input: SendInput },
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
