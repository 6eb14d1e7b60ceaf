/**
 * Sends a conversation to the proxy and reads the response while it is generated. Failures are ApiErrors with the codes
 * of /v1; aborting the signal rejects with an AbortError.
 */
import { type EventSourceMessage, EventSourceParserStream } from 'eventsource-parser/stream';
import { ApiError, errorOfResponse, networkError } from '../../app/api/api-error.ts';

export interface ChatUsage {
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** In USD. */
  readonly cost: string;
  readonly isEstimate: boolean;
}

export interface ChatListener {
  /** The proxy has accepted the request, and names it. */
  accepted(requestId: string | undefined): void;
  text(chunk: string): void;
  reasoning(chunk: string): void;
  finished(reason: string): void;
  usage(usage: ChatUsage): void;
}

interface ChatRequest {
  /** The proxy's address. */
  readonly proxyUrl: string;
  readonly key: string;
  readonly body: object;
  readonly signal: AbortSignal;
}

/** Resolves at the end of the response. */
export async function streamChat(request: ChatRequest, listener: ChatListener): Promise<void> {
  const response = await send(request);
  if (!response.ok) throw errorOfResponse(response, await response.json().catch(() => undefined));
  const requestId = response.headers.get('x-request-id') ?? undefined;
  listener.accepted(requestId);
  let isComplete = false;
  const write = ({ data }: EventSourceMessage) => {
    if (data === '[DONE]') isComplete = true;
    else readChunk(data, requestId, listener);
  };
  try {
    const events = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    await events?.pipeTo(new WritableStream({ write }));
  } catch (error) {
    throw request.signal.aborted || error instanceof ApiError ? error : brokenStream(requestId, error);
  }
  if (!isComplete) throw brokenStream(requestId);
}

async function send({ proxyUrl, key, body, signal }: ChatRequest): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const sent = { ...body, stream: true, stream_options: { include_usage: true } };
  const init = { method: 'POST', headers, body: JSON.stringify(sent), signal };
  return fetch(`${proxyUrl}/v1/chat/completions`, init).catch((cause: unknown) => {
    throw signal.aborted ? cause : networkError(cause);
  });
}

function readChunk(data: string, requestId: string | undefined, listener: ChatListener): void {
  const { error, choices, usage } = Object(JSON.parse(data));
  if (error !== undefined) {
    const { message, code, param } = Object(error);
    throw new ApiError({ status: 502, code: String(code), message: String(message), param, requestId });
  }
  const { delta, finish_reason } = Object(choices?.[0]);
  const { content, refusal, reasoning_content } = Object(delta);
  if (reasoning_content) listener.reasoning(String(reasoning_content));
  if (content || refusal) listener.text(String(content || refusal));
  if (finish_reason) listener.finished(String(finish_reason));
  const cost = costIn(data);
  if (usage && cost !== undefined) {
    const { prompt_tokens: tokensIn, completion_tokens: tokensOut } = Object(usage);
    listener.usage({ tokensIn: Number(tokensIn), tokensOut: Number(tokensOut), cost, isEstimate: false });
  }
}

/**
 * The cost with all of its digits: parsed as JSON it would be a float. In texts of the model the quotes are escaped, so
 * nothing there looks like this.
 */
function costIn(data: string): string | undefined {
  return /"cost":(?<cost>\d+(?:\.\d+)?)[,}]/.exec(data)?.groups?.cost;
}

const brokenStream = (requestId: string | undefined, cause?: unknown) =>
  new ApiError({ status: 0, code: 'stream_broken', message: 'The stream has broken off.', requestId }, { cause });
