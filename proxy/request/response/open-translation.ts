/** Translates a streamed response into the API format that the client called. */
import { errorBody, type GatewayError } from '../../../shared/errors.ts';
import type { Call } from '../../nouns/call.ts';
import type { Dialect } from '../../nouns/dialect.ts';
import type { ResponseStream } from '../../providers/adapter.ts';
import { DialectResponseStream } from './dialect-response-stream.ts';

export interface Translation {
  readonly stream: ResponseStream;
  /** The event that says why the stream failed. Missing where there are no events; then the connection breaks. */
  renderError?(error: GatewayError): string;
}

export function openTranslation(
  stream: ResponseStream,
  { call, dialect, requestId }: { call: Call; dialect: Dialect | undefined; requestId: string },
): Translation {
  if (stream.mediaType !== undefined) return { stream };
  if (stream.renderError !== undefined) return { stream, renderError: stream.renderError.bind(stream) };
  const dialectStream = dialect?.openStream(call, requestId);
  if (dialectStream === undefined) {
    return { stream, renderError: (error) => `data: ${JSON.stringify(errorBody(error))}\n\n` };
  }
  return {
    stream: new DialectResponseStream(stream, dialectStream),
    renderError: (error) => dialectStream.fail(error),
  };
}
