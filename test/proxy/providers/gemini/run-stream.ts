/** Runs Gemini's events through the adapter, in chunks of any size. */
import { expect } from 'bun:test';
import type { ChatChunk } from '../../../../proxy/nouns/chat-completion.ts';
import { noUsage, type Usage } from '../../../../proxy/nouns/usage.ts';
import type { ResponseStream } from '../../../../proxy/providers/adapter.ts';
import { openaiSchemasMissing, schemaProblems } from '../../../harness/openapi/openai-schemas.ts';
import { chat, chatCall, targetOf } from './chat-call.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface Outcome {
  readonly chunks: readonly ChatChunk[];
  readonly closing: string;
  readonly usage: Usage | null;
  readonly complete: boolean;
  readonly ended: boolean;
  readonly deliveredTokens: number;
}

export function openStream(body: object = {}): ResponseStream {
  const stream = chat.openStream?.(chatCall({ stream: true, ...body }), targetOf().deployment);
  if (stream === undefined) throw new Error('Gemini does not stream');
  return stream;
}

/** In Google's framing. */
export function eventsOf(responses: readonly (object | string)[]): Uint8Array {
  const lines = responses.map((response) => (typeof response === 'string' ? response : JSON.stringify(response)));
  return encoder.encode(lines.map((line) => `data: ${line}\r\n\r\n`).join(''));
}

/** The whole stream and its end. Every chunk is validated against OpenAI's schema. */
export function runStream(chunks: readonly Uint8Array[], body: object = {}): Outcome {
  const stream = openStream(body);
  const text = chunks.map((chunk) => decoder.decode(stream.push(chunk))).join('');
  const { usage, complete, ended, deliveredTokens } = stream;
  const closing = stream.close({ usage: usage ?? noUsage, costUsd: '0.5' });
  const data = eventDataOf(text + closing);
  expect(data.pop()).toBe('[DONE]');
  return {
    chunks: data.map((chunk) => checked(JSON.parse(chunk))),
    closing,
    usage,
    complete,
    ended,
    deliveredTokens,
  };
}

export function eventDataOf(text: string): string[] {
  const events = text.split('\n\n');
  expect(events.pop()).toBe('');
  return events.map((event) => event.replace(/^data: /, ''));
}

/** Without members that differ each time. */
export function stable({ chunks, closing: _, ...rest }: Outcome): unknown {
  const text = JSON.stringify(chunks).replaceAll(/"call_[0-9a-f]{32}"/g, '"made"');
  return {
    ...rest,
    chunks: JSON.parse(text.replaceAll(/"created":\d+/g, '"created":0').replaceAll(/"chatcmpl-[0-9a-f-]+"/g, '"made"')),
  };
}

function checked(chunk: ChatChunk): ChatChunk {
  if (!openaiSchemasMissing) expect(schemaProblems('CreateChatCompletionStreamResponse', chunk)).toEqual([]);
  return chunk;
}

export const textOf = (outcome: Outcome, index = 0) =>
  outcome.chunks
    .flatMap(({ choices }) => choices.filter((choice) => choice.index === index))
    .map(({ delta }) => delta.content ?? '')
    .join('');

export const finishesOf = (outcome: Outcome) =>
  outcome.chunks.flatMap(({ choices }) => choices.map((choice) => choice.finish_reason)).filter(Boolean);
