/** Translates a streamed response into the API format that the client called. */
import { errorBody, type GatewayError } from '../../../shared/errors.ts';
import type { Call } from '../../nouns/call.ts';
import type { Dialect } from '../../nouns/dialect.ts';
import type { ResponseStream } from '../../providers/adapter.ts';
import { RecordedStream } from '../cache/recorded-stream.ts';
import { DialectResponseStream } from './dialect-response-stream.ts';

export interface Translation {
  readonly stream: ResponseStream;
  /** What it translates, if that is kept for repetitions. */
  readonly recorded?: RecordedStream | undefined;
  /** The event that says why the stream failed. Missing where there are no events; then the connection breaks. */
  renderError?(error: GatewayError): string;
}

interface Opening {
  readonly call: Call;
  readonly dialect: Dialect | undefined;
  readonly requestId: string;
  /** Whether its output is kept for repetitions. */
  readonly records: boolean;
}

export function openTranslation(stream: ResponseStream, { call, dialect, requestId, records }: Opening): Translation {
  if (stream.mediaType !== undefined) return { stream };
  const recorded = records ? new RecordedStream(stream) : undefined;
  const inner = recorded ?? stream;
  if (stream.renderError !== undefined) {
    return { stream: inner, recorded, renderError: stream.renderError.bind(stream) };
  }
  const dialectStream = dialect?.openStream(call, requestId);
  if (dialectStream === undefined) {
    return { stream: inner, recorded, renderError: (error) => `data: ${JSON.stringify(errorBody(error))}\n\n` };
  }
  return {
    stream: new DialectResponseStream(inner, dialectStream),
    recorded,
    renderError: (error) => dialectStream.fail(error),
  };
}
