/**
 * The events in whole frames of `application/vnd.amazon.eventstream`. What an event is stands in a frame's headers; its
 * payload is JSON. A frame whose checksums are wrong breaks the stream.
 */
import { EventStreamCodec, type Message } from '@smithy/core/event-streams';
import { frameLengthAt, preludeBytes } from '../../../upstream/framing/whole-frames.ts';
import { UpstreamFailure } from '../../../upstream/upstream-failure.ts';
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

/** Throws UpstreamFailure where a frame is damaged, or reports an error. */
export function* readFrames(bytes: Uint8Array): Generator<ConverseEvent> {
  let start = 0;
  while (start < bytes.byteLength) {
    const isPrelude = bytes.byteLength - start >= preludeBytes;
    const length = isPrelude ? frameLengthAt(bytes, start) : undefined;
    if (length === undefined) throw damaged();
    yield eventOf(decode(bytes.subarray(start, start + length)));
    start += length;
  }
}

function decode(frame: Uint8Array): Message {
  try {
    return codec.decode(frame);
  } catch (cause) {
    throw damaged(cause);
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
    throw new UpstreamFailure('malformed', "The provider's response is not JSON.", { cause });
  }
}

function damaged(cause?: unknown): UpstreamFailure {
  return new UpstreamFailure('cut', "The provider's stream arrived damaged.", { cause });
}
