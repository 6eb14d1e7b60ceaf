/**
 * Whatever a provider sends instead of a member of its response, the response is read or is a failure of the provider.
 */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { dialectOfChat } from '../../../proxy/api/any-chat/text-tools-dialect.ts';
import { messagesDialect } from '../../../proxy/api/messages/messages-dialect.ts';
import { readRerank } from '../../../proxy/api/rerank/rerank.ts';
import { responsesDialect } from '../../../proxy/api/responses/responses-dialect.ts';
import type { Call } from '../../../proxy/nouns/call.ts';
import type { Dialect } from '../../../proxy/nouns/dialect.ts';
import { UpstreamFailure } from '../../../proxy/nouns/upstream-failure.ts';
import { noUsage } from '../../../proxy/nouns/usage.ts';
import type { Operation } from '../../../proxy/providers/adapter.ts';
import { operationOf as operationAt } from '../../../proxy/providers/adapters.ts';
import { DialectResponseStream } from '../../../proxy/request/response/dialect-response-stream.ts';
import type { ModelKind } from '../../../shared/catalogue/model-kinds.ts';
import { type Protocol, protocols, servedKinds } from '../../../shared/catalogue/published-catalogue.ts';
import { inCampaign } from '../../harness/campaigns.ts';
import { hostileJson } from '../../harness/hostile-json.ts';
import { parseChatCompletion, parseCompletion, parseEmbedding, parseMessages, parseResponses } from '../api/parse.ts';
import { interleaved } from './anthropic/message-events.ts';
import { frame, joined } from './bedrock/frames.ts';
import { deploymentWith, testCall } from './openai/calls.ts';
import { output, usage as responsesUsage } from './openai-responses/provider-events.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, prompt_tokens_details: { cached_tokens: 1 } };
const toolCall = { index: 0, id: 'call_1', type: 'function', function: { name: 'now', arguments: '{}' } };
/** What dialects read, beside text and calls. */
const shown = {
  annotations: [{ type: 'url_citation', url_citation: { url: 'https://a', title: 'A', start_index: 0, end_index: 1 } }],
  thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 's' }],
  search_blocks: [{ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }],
};
const message = {
  ...{ role: 'assistant', content: 'Hi', reasoning_content: 'Hm', tool_calls: [toolCall], ...shown },
  turn_blocks: [{ type: 'text', text: 'Hi' }],
};
const logprobs = { content: [{ token: 'Hi', logprob: -1, bytes: [72], top_logprobs: [] }] };
const envelope = { id: 'c1', created: 1, model: 'm', service_tier: 'default', system_fingerprint: 'f' };
const geminiParts = [
  { text: 'Hm', thought: true, thoughtSignature: 'c2ln' },
  { text: 'Hi' },
  { functionCall: { id: 'f1', name: 'now', args: { zone: 'UTC' } } },
  { executableCode: { language: 'PYTHON', code: '1' } },
  { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
  { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
];
const geminiResponse = {
  candidates: [
    { index: 0, content: { role: 'model', parts: geminiParts }, finishReason: 'STOP', groundingMetadata: {} },
  ],
  promptFeedback: { blockReason: null },
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, thoughtsTokenCount: 1, totalTokenCount: 6 },
  responseId: 'r1',
  modelVersion: 'm',
};
const converseContent = [
  { reasoningContent: { reasoningText: { text: 'Hm', signature: 's' } } },
  { text: 'Hi' },
  { toolUse: { toolUseId: 't1', name: 'now', input: {} } },
];
const converseUsage = { inputTokens: 3, outputTokens: 2, totalTokens: 5, cacheReadInputTokens: 1 };
const vector = { object: 'embedding', embedding: [0.5, -0.5] };
const failed = { message: 'too long', type: 'invalid', code: '400', status_code: 400, param: 'x' };

const ranked = {
  id: 'r1',
  results: [
    { index: 1, relevance_score: 0.9, document: { text: 'b' } },
    { index: 0, relevance_score: 0.1, document: { text: 'a' } },
  ],
  usage: { prompt_tokens: 4, total_tokens: 4 },
  meta: { billed_units: { input_tokens: 4 }, tokens: { input_tokens: 4 } },
};

/** Whole responses and errors with status 200. */
const bodies: Readonly<Record<Protocol, Partial<Record<ModelKind, readonly Json[]>>>> = {
  openai: {
    chat: [
      {
        ...envelope,
        object: 'chat.completion',
        choices: [{ index: 0, message, logprobs, finish_reason: 'stop' }],
        usage,
      },
      { error: failed },
      { object: 'error', ...failed },
    ],
    completion: [
      {
        ...{ ...envelope, object: 'text_completion', usage },
        choices: [{ index: 0, text: 'Hi', logprobs: null, finish_reason: 'stop' }],
      },
      { error: failed },
    ],
    embedding: [
      {
        object: 'list',
        data: [
          { ...vector, index: 1 },
          { ...vector, index: 0 },
        ],
        model: 'm',
        usage,
      },
      { error: failed },
    ],
    moderation: [
      {
        id: 'modr-1',
        model: 'm',
        results: [
          {
            flagged: true,
            categories: { violence: true },
            category_scores: { violence: 0.9 },
            category_applied_input_types: { violence: ['text'] },
          },
        ],
        usage,
      },
    ],
    rerank: [ranked, { ...ranked, meta: { billed_units: { search_units: 1 } } }],
    transcription: [
      {
        ...{ text: 'Hi', task: 'transcribe', language: 'english', duration: 7.2 },
        words: [{ word: 'Hi', start: 0, end: 1 }],
        segments: [{ id: 0, start: 0, end: 1, text: 'Hi', tokens: [1], temperature: 0 }],
        usage: { type: 'tokens', input_tokens: 3, output_tokens: 2, input_token_details: { audio_tokens: 3 } },
      },
    ],
    image: [
      {
        created: 1,
        data: [{ b64_json: 'aGk=', url: 'https://i.test/1', revised_prompt: 'a cat' }],
        size: '1024x1024',
        usage: {
          ...{ input_tokens: 3, output_tokens: 2, total_tokens: 5 },
          input_tokens_details: { image_tokens: 0, text_tokens: 3 },
        },
      },
    ],
  },
  'openai-responses': {
    chat: [
      {
        ...{ id: 'r1', object: 'response', created_at: 1, status: 'completed', model: 'm', error: null },
        ...{ incomplete_details: { reason: 'max_output_tokens' }, output, usage: responsesUsage },
      } as Json,
      { error: failed },
    ],
  },
  anthropic: {
    chat: [
      {
        ...{ id: 'm1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'tool_use', stop_sequence: null },
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 's' },
          { type: 'redacted_thinking', data: 'x' },
          { type: 'text', text: 'Hi', citations: [] },
          { type: 'tool_use', id: 't1', name: 'now', input: { zone: 'UTC' } },
        ],
        usage: { input_tokens: 3, output_tokens: 2, cache_read_input_tokens: 1, server_tool_use: null },
      },
      { type: 'error', error: failed },
    ],
  },
  gemini: {
    chat: [
      geminiResponse,
      { error: { ...failed, status: 'INVALID_ARGUMENT', details: [{ '@type': 'x', reason: 'y' }] } },
    ],
    embedding: [
      { embeddings: [{ values: [0.5, -0.5] }], usageMetadata: { promptTokenCount: 3 } },
      { embedding: { values: [0.5, -0.5] } },
    ],
  },
  bedrock: {
    chat: [
      {
        output: { message: { role: 'assistant', content: converseContent } },
        ...{ stopReason: 'tool_use', usage: converseUsage, metrics: { latencyMs: 9 } },
      },
    ],
  },
  cohere: { rerank: [ranked] },
};

const chunk = (delta: Json, rest: object = {}) =>
  ({
    ...envelope,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: null, ...rest }],
  }) as Json;

type StreamedProtocol = Exclude<Protocol, 'cohere'>;
const isStreamed = (protocol: Protocol): protocol is StreamedProtocol => servedKinds[protocol].includes('chat');

/** The events of one stream, as objects. */
const streams: Readonly<Record<StreamedProtocol, readonly Json[]>> = {
  openai: [
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'Hm' }),
    chunk({ content: 'Hi' }, { logprobs }),
    chunk({ content: '.', ...shown, text_ends: true }),
    chunk({ tool_calls: [toolCall] }),
    chunk({}, { finish_reason: 'tool_calls' }),
    { ...envelope, object: 'chat.completion.chunk', choices: [], usage },
  ],
  'openai-responses': [
    { type: 'response.created', sequence_number: 0, response: { id: 'r1', status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'm1', content: [] } },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'm1', delta: 'Hi' },
    {
      type: 'response.completed',
      response: { id: 'r1', status: 'completed', output, usage: responsesUsage } as Json,
    },
  ],
  anthropic: interleaved as readonly Json[],
  gemini: [geminiResponse, { ...geminiResponse, candidates: [] }],
  bedrock: [
    { messageStart: { role: 'assistant' } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Hm' } } } },
    { contentBlockDelta: { contentBlockIndex: 1, delta: { text: 'Hi' } } },
    { contentBlockStart: { contentBlockIndex: 2, start: { toolUse: { toolUseId: 't1', name: 'now' } } } },
    { contentBlockDelta: { contentBlockIndex: 2, delta: { toolUse: { input: '{}' } } } },
    { contentBlockStop: { contentBlockIndex: 2 } },
    { messageStop: { stopReason: 'tool_use' } },
    { metadata: { usage: converseUsage, metrics: { latencyMs: 9 } } },
  ],
};

/** Speech is always streamed (stream/speech-stream.test.ts). */
type WholeKind = Exclude<ModelKind, 'speech'>;

const calls: Readonly<Record<WholeKind, () => Call>> = {
  chat: () => parseChatCompletion('{"model":"test/m","messages":[{"role":"user","content":"Hello?"}]}'),
  completion: () => parseCompletion('{"model":"test/m","prompt":"Hello?"}'),
  embedding: () => parseEmbedding('{"model":"test/m","input":["a","b"]}'),
  image: () => testCall({ kind: 'image', n: 1, body: { model: 'test/m', prompt: 'a cat' } }),
  moderation: () =>
    testCall({ kind: 'moderation', promptTexts: ['Hi'], prompts: 1, body: { model: 'm', input: 'Hi' } }),
  rerank: () => readRerank({ model: 'm', query: 'q', documents: ['a', 'b'], return_documents: true }, '{}'),
  transcription: () =>
    testCall({
      kind: 'transcription',
      format: 'verbose_json',
      audio: { bytes: new Uint8Array(), fileName: 'audio.wav', mediaType: 'audio/wav', secondsMax: 7.5 },
    }),
};

const requestId = '01920000-0000-7000-8000-000000000001';
const textToolsCall = {
  ...parseChatCompletion('{"model":"m","messages":[{"role":"user","content":"Hi"}]}'),
  textTools: ['now'],
};

/** The other API formats in front of chat models, each with a call. */
const dialects: readonly (readonly [name: string, dialect: Dialect | undefined, call: Call])[] = [
  [
    'messages',
    messagesDialect,
    parseMessages('{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}'),
  ],
  ['responses', responsesDialect, parseResponses('{"model":"m","input":"Hi"}')],
  ['chat completions with tools of text', dialectOfChat(textToolsCall), textToolsCall],
];

/** Every place in a value, as a path; the value itself is the empty one. */
function* placesIn(value: Json, path: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value) as [string, Json][]) {
    yield* placesIn(member, [...path, Array.isArray(value) ? Number(name) : name]);
  }
}

function replaced(value: Json, [name, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (name === undefined) return by;
  const copy: unknown = Array.isArray(value) ? [...value] : { ...(value as object) };
  const members = copy as Record<string | number, Json>;
  members[name] = replaced(members[name] ?? null, rest, by) as Json;
  return copy;
}

function orFailure(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
  }
}

function operationOf(protocol: Protocol, kind: ModelKind): Operation {
  const operation = operationAt(protocol, kind);
  if (operation === undefined) throw new Error(`${protocol} does not serve ${kind}`);
  return operation;
}

const deploymentOf = (protocol: Protocol) => {
  const deployment = deploymentWith({});
  return { ...deployment, provider: { ...deployment.provider, protocol } };
};

function framed(protocol: Protocol, events: readonly unknown[]): Uint8Array {
  if (protocol !== 'bedrock') {
    return new TextEncoder().encode(
      events.map((event) => `event: ${typeOf(event)}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
    );
  }
  return joined(
    events.map((event) => {
      const [type, payload] = Object.entries(event ?? {})[0] ?? ['messageStart', {}];
      return frame(type, Object(payload));
    }),
  );
}

const typeOf = (event: unknown) => {
  const type = typeof event === 'object' && event !== null && 'type' in event ? event.type : undefined;
  return typeof type === 'string' ? type.replaceAll(/\s/g, '') : 'message';
};

const isWhole = (kind: ModelKind): kind is WholeKind => kind !== 'speech';
const served = protocols.flatMap((protocol) =>
  servedKinds[protocol].filter(isWhole).map((kind) => [protocol, kind] as const),
);

test.each(served)(
  'a response of %s (%s) with anything at any place is rendered or a failure (campaign)',
  (protocol, kind) => {
    const cases = (bodies[protocol][kind] ?? []).flatMap((body) => [...placesIn(body)].map((path) => ({ body, path })));
    expect(cases.length).toBeGreaterThan(3);
    const property = fc.property(fc.constantFrom(...cases), hostileJson, ({ body, path }, by) =>
      orFailure(() => {
        const text = JSON.stringify(replaced(body, path, by));
        const response = operationOf(protocol, kind).readBody(text, calls[kind](), deploymentOf(protocol));
        expect(response.outputTexts.every((output) => typeof output === 'string')).toBe(true);
        JSON.parse(response.render({ usage: response.usage ?? noUsage, costUsd: '0' }));
      }),
    );
    fc.assert(property, { numRuns: inCampaign(250, 1_000) });
  },
);

test.each(protocols.filter(isStreamed))(
  'a stream of %s with anything at any place is passed on or a failure (campaign)',
  (protocol) => {
    const events = streams[protocol];
    const cases = [...placesIn(events)].filter((path) => path.length > 0);
    const property = fc.property(fc.constantFrom(...cases), hostileJson, (path, by) =>
      orFailure(() => {
        const call = { ...calls.chat(), stream: true, includeUsage: true };
        const stream = operationOf(protocol, 'chat').openStream?.(call, deploymentOf(protocol));
        if (stream === undefined) throw new Error(`${protocol} does not stream`);
        stream.push(framed(protocol, replaced(events, path, by) as unknown[]));
        expect(stream.deliveredTokens).toBeGreaterThanOrEqual(0);
        expect(typeof stream.close({ usage: stream.usage ?? noUsage, costUsd: '0' })).toBe('string');
      }),
    );
    fc.assert(property, { numRuns: inCampaign(250, 1_000) });
  },
);

const translated = protocols
  .filter(isStreamed)
  // Its responses are in the format of the only endpoint that it serves.
  .filter((protocol) => protocol !== 'openai-responses')
  .flatMap((protocol) => dialects.map(([name, dialect, call]) => ({ protocol, name, dialect, call })));

test.each(translated)(
  'a response of $protocol with anything at any place is translated into $name (campaign)',
  ({ protocol, dialect, call }) => {
    const cases = (bodies[protocol].chat ?? []).flatMap((body) => [...placesIn(body)].map((path) => ({ body, path })));
    const property = fc.property(fc.constantFrom(...cases), hostileJson, ({ body, path }, by) =>
      orFailure(() => {
        const text = JSON.stringify(replaced(body, path, by));
        const response = operationOf(protocol, 'chat').readBody(text, call, deploymentOf(protocol));
        const charge = { usage: response.usage ?? noUsage, costUsd: '0' };
        const rendered = dialect?.renderBody(JSON.parse(response.render(charge)), { call, charge, requestId });
        expect(JSON.parse(rendered ?? '')).toBeObject();
      }),
    );
    fc.assert(property, { numRuns: inCampaign(250, 1_000) });
  },
);

test.each(translated)(
  'a stream of $protocol with anything at any place is translated into $name (campaign)',
  ({ protocol, dialect, call }) => {
    const events = streams[protocol];
    const cases = [...placesIn(events)].filter((path) => path.length > 0);
    const property = fc.property(fc.constantFrom(...cases), hostileJson, (path, by) =>
      orFailure(() => {
        const streamed = { ...call, stream: true };
        const inner = operationOf(protocol, 'chat').openStream?.(streamed, deploymentOf(protocol));
        const output = dialect?.openStream(streamed, requestId);
        if (inner === undefined || output === undefined) throw new Error(`${protocol} does not stream`);
        const stream = new DialectResponseStream(inner, output);
        stream.push(framed(protocol, replaced(events, path, by) as unknown[]));
        expect(typeof stream.close({ usage: stream.usage ?? noUsage, costUsd: '0' })).toBe('string');
      }),
    );
    fc.assert(property, { numRuns: inCampaign(250, 1_000) });
  },
);
