/**
 * Recorded responses of real providers through the adapter: text, tool calls, finish reason and usage are right, and
 * all output is in the published format, wherever the network splits it.
 */
import { describe, expect, test } from 'bun:test';
import { noUsage } from '../../../proxy/nouns/usage.ts';
import { operationOf } from '../../../proxy/providers/adapters.ts';
import type { ModelKind } from '../../../shared/catalogue/model-kinds.ts';
import { openaiSchemasMissing, schemaProblems } from '../../harness/openapi/openai-schemas.ts';
import { testCall, testDeployment } from '../providers/openai/calls.ts';
import { chunksOf, collectChat, collectText } from '../providers/openai/collect.ts';
import { recordings, recordingsMissing } from './openai-recordings.ts';

const skip = recordingsMissing || openaiSchemasMissing;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What each recording contains; `text` and `reasoning` are prefixes. */
const expected: Record<string, object> = {
  'azure-model-router.1.chunks.txt': {
    text: 'Capital of Denmark.',
    finish: 'stop',
    model: 'gpt-5-nano-2025-08-07',
    usage: [15, 0, 78, 64],
  },
  'deepseek-json.json': {
    text: '{\n  "location"',
    reasoning: 'I have the',
    finish: 'stop',
    usage: [495, 320, 144, 118],
  },
  'deepseek-tool-call.chunks.txt': {
    reasoning: 'The user',
    calls: [{ id: 'call_00_ioI', name: 'weather', arguments: '{"location": "San Francisco"}' }],
    finish: 'tool_calls',
    usage: [339, 320, 83, 39],
  },
  'deepseek-tool-call.json': {
    reasoning: 'The user is',
    calls: [{ id: 'call_00_9V0', name: 'weather', arguments: '{"location": "San Francisco"}' }],
    finish: 'tool_calls',
    usage: [339, 320, 92, 48],
  },
  'groq-tool-call.chunks.txt': {
    calls: [{ id: 'tk85n1k4m', name: 'weather', arguments: '{}' }],
    finish: 'tool_calls',
    usage: [210, 0, 15, 0],
  },
  'groq-tool-call.json': {
    calls: [{ id: 'ax9fskhev', name: 'weather', arguments: '{}' }],
    finish: 'tool_calls',
    usage: [218, 0, 15, 0],
  },
  'mistral-text.chunks.txt': { text: 'Hello, world! This is a test response.', finish: 'stop', usage: [13, 0, 8, 0] },
  'mistral-text.json': { text: '**Holiday Name: "World Kindness', finish: 'stop', usage: [13, 0, 434, 0] },
  'mistral-tool-call.chunks.txt': {
    calls: [{ id: 'gSIMJiOkT', name: 'weather', arguments: '{"location": "San Francisco"}' }],
    finish: 'tool_calls',
    usage: [124, 0, 22, 0],
  },
  'mistral-tool-call.json': {
    calls: [{ id: 'gSIMJiOkT', name: 'weather', arguments: '{"location": "San Francisco"}' }],
    finish: 'tool_calls',
    usage: [124, 0, 22, 0],
  },
  'openai-completion-text.chunks.txt': { finish: 'length', usage: [14, 0, 16, 0] },
  'openai-completion-text.json': { text: 'The new holiday is called', finish: 'length', usage: [14, 0, 16, 0] },
  'openai-text.chunks.txt': { text: '**Holiday Name', finish: 'stop', usage: [16, 0, 300, 0] },
  'openai-text.json': { text: '**Holiday Name:** Galaxy Day', finish: 'stop', usage: [16, 0, 363, 0] },
  'xai-text.chunks.txt': {
    text: 'Hello',
    reasoning: 'First, the user said',
    finish: 'stop',
    usage: [12, 11, 291, 290],
  },
  'xai-text.json': { finish: 'stop' },
};

interface Replay {
  readonly output: string;
  readonly usage: unknown;
  readonly deliveredTokens: number;
  readonly complete: boolean;
}

function replay(kind: ModelKind, chunks: readonly Uint8Array[], includeUsage = true): Replay {
  const call = testCall({ stream: true, includeUsage });
  const stream = operationOf('openai', kind)?.openStream?.(call, testDeployment);
  if (stream === undefined) throw new Error('nothing is streamed');
  const output = chunks.map((chunk) => decoder.decode(stream.push(chunk))).join('');
  const { usage, deliveredTokens, complete } = stream;
  return { output, usage, deliveredTokens, complete };
}

const counts = (usage: unknown) => {
  const { promptTokens, cachedPromptTokens, completionTokens, reasoningTokens } = usage as Record<string, number>;
  return [promptTokens, cachedPromptTokens, completionTokens, reasoningTokens];
};

function expectCollected(name: string, collected: ReturnType<typeof collectChat>, usage: unknown): void {
  const wanted = expected[name] as { text?: string; reasoning?: string; calls?: { id: string }[]; usage?: number[] };
  expect(collected).toMatchObject({ finish: (wanted as { finish: string }).finish });
  expect(collected.text).toStartWith(wanted.text ?? '');
  expect(collected.reasoning).toStartWith(wanted.reasoning ?? '');
  expect(collected.calls.map((call) => ({ ...call, id: call.id.slice(0, 11) }))).toEqual((wanted.calls ?? []) as never);
  if (wanted.usage !== undefined) expect(counts(usage)).toEqual(wanted.usage);
}

describe.skipIf(skip)('the output of a recorded stream', () => {
  for (const { name, kind, wire } of recordings.filter(({ streamed }) => streamed)) {
    if (kind === 'embedding') continue;
    const bytes = encoder.encode(wire);
    const whole = replay(kind, [bytes]);

    test(`the output of ${name} is complete, and every chunk is in the published format`, () => {
      const chunks = chunksOf(whole.output);
      const schema = kind === 'chat' ? 'CreateChatCompletionStreamResponse' : 'TextCompletionChunk';
      expect(chunks.flatMap((chunk) => schemaProblems(schema, chunk))).toEqual([]);
      expect(chunks.every((chunk) => (chunk.choices as unknown[]).length > 0 && chunk.usage === null)).toBe(true);
      expectCollected(name, kind === 'chat' ? collectChat(chunks) : collectText(chunks), whole.usage);
      expect(whole.complete).toBe(true);
      expect(whole.deliveredTokens).toBeGreaterThan(0);
    });

    test(`the output of ${name} is the same wherever it is split`, () => {
      // Long streams are split in their first part, where all templates are made, and at every 1,999th byte after it.
      for (let offset = 1; offset < bytes.length; offset += offset < 1_500 ? 1 : 1_999) {
        const cut = replay(kind, [bytes.slice(0, offset), bytes.slice(offset)]);
        if (!Bun.deepEquals(cut, whole)) expect([offset, cut]).toEqual([offset, whole]);
      }
      expect(
        replay(
          kind,
          Array.from(bytes, (byte) => new Uint8Array([byte])),
        ),
      ).toEqual(whole);
    });
  }
});

describe.skipIf(skip)('the output of a recorded body', () => {
  const charge = {
    usage: { ...noUsage, promptTokens: 1, completionTokens: 2 },
    costUsd: '0.000000123',
  };
  for (const { name, kind, wire } of recordings.filter(({ streamed }) => !streamed)) {
    test(`the output of ${name} is complete, and in the published format`, () => {
      const call = testCall({ body: { input: ['one text', 'another'] } });
      const body = operationOf('openai', kind)?.readBody(wire, call, testDeployment);
      const rendered = body?.render(charge) ?? '';
      const response = JSON.parse(rendered);
      const schemas = {
        chat: 'CreateChatCompletionResponse',
        completion: 'CreateCompletionResponse',
        embedding: 'CreateEmbeddingResponse',
      } as const;
      expect(schemaProblems(schemas[kind], response)).toEqual([]);
      expect(rendered).toContain('"cost":0.000000123');
      if (kind === 'embedding') return expect(response.data[0].embedding.length).toBeGreaterThan(0);
      expectCollected(name, kind === 'chat' ? collectChat([response]) : collectText([response]), body?.usage);
    });
  }
});
