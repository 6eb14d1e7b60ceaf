/**
 * The events in whole frames of `application/vnd.amazon.eventstream`. A frame's headers have the type of the event; its
 * payload is JSON. A frame with a wrong checksum fails the stream.
 */
import { EventStreamCodec, type Message } from '@smithy/core/event-streams';
import { frameLengthAt, preludeBytes } from '../../../nouns/framing/framing.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { failureInside } from './converse-failure.ts';

export interface ConverseEvent {
  /** Such as `contentBlockDelta`. */
  readonly type: string;
  readonly payload: unknown;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : decoder.decode(bytes)),
  (text) => encoder.encode(text),
);

/** Throws UpstreamFailure if a frame is corrupt, or reports an error. */
export function* readFrames(bytes: Uint8Array): Generator<ConverseEvent> {
  let start = 0;
  while (start < bytes.byteLength) {
    const isPrelude = bytes.byteLength - start >= preludeBytes;
    const length = isPrelude ? frameLengthAt(bytes, start) : undefined;
    if (length === undefined) throw corrupt();
    yield eventOf(decode(bytes.subarray(start, start + length)));
    start += length;
  }
}

function decode(frame: Uint8Array): Message {
  try {
    return codec.decode(frame);
  } catch (cause) {
    throw corrupt(cause);
  }
}

function eventOf({ headers, body }: Message): ConverseEvent {
  const header = (name: string) => String(headers[name]?.value ?? '');
  switch (header(':message-type')) {
    case 'exception':
      throw failureInside(header(':exception-type'), parse(body));
    case 'error':
      throw failureInside(header(':error-code'), { message: header(':error-message') });
    default:
      return { type: header(':event-type'), payload: parse(body) };
  }
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(body));
  } catch (cause) {
    throw new UpstreamFailure('malformed', 'The provider returned a response that is not JSON.', { cause });
  }
}

function corrupt(cause?: unknown): UpstreamFailure {
  return new UpstreamFailure('cut', "The provider's stream is corrupt.", { cause });
}
