/** The translation of a streamed answer, in the interface in which the client has asked. */
import { errorBody, type GatewayError } from '../../shared/errors.ts';
import type { Dialect } from '../interfaces/dialect.ts';
import { DialectAnswerStream } from '../interfaces/dialect-answer-stream.ts';
import type { AnswerStream } from '../providers/adapter.ts';
import type { Call } from '../request/call.ts';

export interface Translation {
  readonly stream: AnswerStream;
  /** The event that tells the client why the stream breaks off. */
  renderError(error: GatewayError): string;
}

export function openTranslation(
  stream: AnswerStream,
  { call, dialect, requestId }: { call: Call; dialect: Dialect | undefined; requestId: string },
): Translation {
  const spoken = dialect?.openStream(call, requestId);
  if (spoken === undefined) {
    return { stream, renderError: (error) => `data: ${JSON.stringify(errorBody(error))}\n\n` };
  }
  return { stream: new DialectAnswerStream(stream, spoken), renderError: (error) => spoken.fail(error) };
}
