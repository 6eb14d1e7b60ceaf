/**
 * What a dialect is: another vendor's interface in front of chat models. Its requests become chat completion requests,
 * its answers are made of chat completions, so it works with every adapter and is metered and paid the same way.
 */
import type { GatewayError } from '../../shared/errors.ts';
import type { RenderedCharge } from '../providers/adapter.ts';
import type { Call } from '../request/call.ts';
import type { ChatChunk, ChatCompletion } from './chat-completion.ts';

export interface Dialect {
  /** The whole answer, as JSON text. `completion` carries its usage. */
  renderBody(completion: ChatCompletion, context: { call: Call; charge: RenderedCharge; requestId: string }): string;
  openStream(call: Call, requestId: string): DialectStream;
  /** Where its clients look for the request's id, beside `x-request-id`. */
  readonly requestIdHeader?: string;
  /** The body of an error answer. */
  renderError(error: GatewayError, requestId: string): object;
}

/** Events are given out as text, framed for SSE. */
export interface DialectStream {
  push(chunk: ChatChunk): string;
  /** After the last chunk: what ends the stream, with the usage. */
  close(charge: RenderedCharge): string;
  /** The stream breaks off with this error. */
  fail(error: GatewayError): string;
}
