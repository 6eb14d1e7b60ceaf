/** Frames of Bedrock's streams, written by AWS's own encoder, and their translation. */
import { EventStreamCodec } from '@smithy/core/event-streams';
import { WholeFrames } from '../../../../proxy/nouns/framing/framing.ts';
import {
  ConverseStream,
  type ConverseStreamOptions,
} from '../../../../proxy/providers/bedrock/response/converse-stream.ts';
import { chunksOf, type Outcome } from '../anthropic/message-events.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : decoder.decode(bytes)),
  (text) => encoder.encode(text),
);
const string = (value: string) => ({ type: 'string' as const, value });

export function frame(type: string, payload: object): Uint8Array {
  const headers = {
    ':event-type': string(type),
    ':content-type': string('application/json'),
    ':message-type': string('event'),
  };
  // Bedrock pads its payloads.
  return codec.encode({ headers, body: encoder.encode(JSON.stringify({ ...payload, p: 'abcdefgh' })) });
}

export function exceptionFrame(type: string, message: string): Uint8Array {
  const headers = {
    ':exception-type': string(type),
    ':content-type': string('application/json'),
    ':message-type': string('exception'),
  };
  return codec.encode({ headers, body: encoder.encode(JSON.stringify({ message })) });
}

export function errorFrame(code: string, message: string): Uint8Array {
  const headers = {
    ':error-code': string(code),
    ':error-message': string(message),
    ':message-type': string('error'),
  };
  return codec.encode({ headers, body: new Uint8Array() });
}

export function joined(frames: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(frames.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const each of frames) {
    bytes.set(each, at);
    at += each.byteLength;
  }
  return bytes;
}

export const messageStart = frame('messageStart', { role: 'assistant' });
export const delta = (index: number, value: object) =>
  frame('contentBlockDelta', { contentBlockIndex: index, delta: value });
export const blockStop = (index: number) => frame('contentBlockStop', { contentBlockIndex: index });
export const callStart = (index: number, toolUseId: string, name: string) =>
  frame('contentBlockStart', { contentBlockIndex: index, start: { toolUse: { toolUseId, name } } });
export const messageStop = (stopReason: string) => frame('messageStop', { stopReason });
export const metadata = (usage: object) => frame('metadata', { usage, metrics: { latencyMs: 9 } });
export const text = (index: number, ...segments: readonly string[]) => [
  ...segments.map((segment) => delta(index, { text: segment })),
  blockStop(index),
];

export const usage = { inputTokens: 12, outputTokens: 7, totalTokens: 19 };

/** Thinking, text and two calls. */
export const everything = [
  messageStart,
  delta(0, { reasoningContent: { text: 'Let me ' } }),
  delta(0, { reasoningContent: { text: 'see 👀.' } }),
  delta(0, { reasoningContent: { signature: 'sig-1' } }),
  blockStop(0),
  delta(1, { reasoningContent: { redactedContent: 'b3BhcXVl' } }),
  blockStop(1),
  ...text(2, 'Grüße, ', '', 'I call two.'),
  callStart(3, 'tooluse_1', 'weather'),
  delta(3, { toolUse: { input: '{"place": "Os' } }),
  delta(3, { toolUse: { input: 'lo"}' } }),
  blockStop(3),
  callStart(4, 'tooluse_2', 'now'),
  blockStop(4),
  messageStop('tool_use'),
  metadata({ ...usage, outputTokens: 80, cacheReadInputTokens: 1000, cacheWriteInputTokens: 200 }),
];

export function converseStream(options: Partial<ConverseStreamOptions> = {}): ConverseStream {
  return new ConverseStream({
    includeUsage: false,
    model: 'test/claude',
    createdAtMs: 1_790_000_000_000,
    jsonTool: undefined,
    ...options,
  });
}

/** Pushes the chunks of a stream through framing and translation until it has ended or failed. */
export function run(segments: readonly Uint8Array[], options: Partial<ConverseStreamOptions> = {}): Outcome {
  const stream = converseStream(options);
  const framing = new WholeFrames();
  let output = '';
  let failure: string | undefined;
  try {
    for (const segment of segments) {
      const whole = stream.ended ? undefined : framing.take(segment);
      if (whole !== undefined) output += decoder.decode(stream.push(whole));
    }
    failure = stream.failure?.message;
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  const { usage, deliveredTokens, complete, ended } = stream;
  const chunks = chunksOf(output);
  return { output, chunks, usage, deliveredTokens, complete, ended: ended || failure !== undefined, failure };
}
