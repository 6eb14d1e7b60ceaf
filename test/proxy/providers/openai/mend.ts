/** Runs chunks through a chat stream, whole and split at every byte, and validates the output. */
import { expect } from 'bun:test';
import { ChatStream } from '../../../../proxy/providers/openai/stream/openai-stream.ts';
import { openaiSchemasMissing, schemaProblems } from '../../../harness/openapi/openai-schemas.ts';
import { chunksOf } from './collect.ts';

type Json = Record<string, unknown>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
export const head = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' };

export function wireOf(chunks: readonly object[]): Uint8Array {
  return encoder.encode(
    [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((d) => `data: ${d}\n\n`).join(''),
  );
}

/** Throws what the stream fails with. */
export function replay(chunks: readonly Uint8Array[], includeUsage = false) {
  const stream = new ChatStream({ includeUsage, model: head.model });
  const output = chunks.map((chunk) => decoder.decode(stream.push(chunk))).join('');
  const { usage, complete, deliveredTokens, failure } = stream;
  if (failure !== undefined && !complete) throw failure;
  return { output, usage, complete, deliveredTokens };
}

/** Generated ids and times differ between streams. */
const withoutMade = (output: string) =>
  output.replaceAll(/(?:chatcmpl-|call_)[0-9a-f-]{32,36}/g, 'made').replaceAll(/"created":\d{9,}/g, '"created":1');

/** The chunks for the client. The stream is also split at every byte. */
export function mend(chunks: readonly object[]): Json[] {
  const wire = wireOf(chunks);
  const whole = replay([wire]);
  for (let offset = 1; offset < wire.length; offset += 1) {
    const cut = replay([wire.slice(0, offset), wire.slice(offset)]);
    expect({ ...cut, output: withoutMade(cut.output) }).toEqual({ ...whole, output: withoutMade(whole.output) });
  }
  const mended = chunksOf(whole.output);
  if (!openaiSchemasMissing) {
    expect(mended.flatMap((chunk) => schemaProblems('CreateChatCompletionStreamResponse', chunk))).toEqual([]);
  }
  return mended;
}

export const choice = (delta: unknown, finish: unknown = null, more: Json = {}) => ({
  ...head,
  choices: [{ index: 0, delta, finish_reason: finish, ...more }],
});
export const call = (own: Json) => ({ tool_calls: [own] });
export const end = choice({}, 'tool_calls');
