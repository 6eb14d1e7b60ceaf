/**
 * A dialect is another vendor's API format in front of chat models. Its requests are translated to chat completion
 * requests and chat completions to its responses, so it works with every adapter and is metered and charged the same way.
 */
import type { GatewayError } from '../../shared/errors.ts';
import type { Call } from './call.ts';
import type { ChatChunk, ChatCompletion } from './chat-completion.ts';
import type { RenderedCharge } from './usage.ts';

export interface Dialect {
  /** The whole response, as JSON text. */
  renderBody(completion: ChatCompletion, context: { call: Call; charge: RenderedCharge; requestId: string }): string;
  openStream(call: Call, requestId: string): DialectStream;
  /** The header in which its clients expect the request id, in addition to `x-request-id`. */
  readonly requestIdHeader?: string;
  /** The body of an error response. */
  renderError(error: GatewayError, requestId: string): object;
}

/** Returns events as text, framed for SSE. */
export interface DialectStream {
  push(chunk: ChatChunk): string;
  /** The events that end the stream, including the usage. */
  close(charge: RenderedCharge): string;
  /** The events that end a stream which failed with this error. */
  fail(error: GatewayError): string;
}
