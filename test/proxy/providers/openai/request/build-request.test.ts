/** Requests to a provider: the gateway sets what determines the cost, and quirks are configuration. */
import { describe, expect, test } from 'bun:test';
import type { Call, ChatCall } from '../../../../../proxy/nouns/call.ts';
import { textOf, type UpstreamRequest } from '../../../../../proxy/providers/adapter.ts';
import { operationOf } from '../../../../../proxy/providers/adapters.ts';
import {
  buildChatRequest,
  buildCompletionRequest,
} from '../../../../../proxy/providers/openai/request/build-request.ts';
import type { ModelKind } from '../../../../../shared/catalogue/model-kinds.ts';
import type { Quirks } from '../../../../../shared/catalogue/published-catalogue.ts';
import { parseCompletion } from '../../../api/parse.ts';
import { targetWith, testCall } from '../calls.ts';

function sent(
  body: Record<string, unknown>,
  quirks: Quirks = {},
  call: Partial<ChatCall> = {},
  kind: ModelKind = 'chat',
) {
  const whole: Call = { ...testCall({ ...call, body }), kind } as Call;
  return JSON.parse(String(textOf(operationOf('openai', kind)?.buildRequest(whole, targetWith(quirks)).body ?? '')));
}

function addressed(quirks: Quirks, kind: ModelKind = 'chat'): UpstreamRequest {
  const call = { ...testCall(), kind } as Call;
  const request = operationOf('openai', kind)?.buildRequest(call, targetWith(quirks, 'secret'));
  if (request === undefined) throw new Error(`${kind} is not served`);
  return request;
}

const messages = [{ role: 'user', content: 'Hello?' }];

describe('the part of a request that determines the cost', () => {
  test('is set by the gateway, once, even if the text has duplicates', () => {
    const text =
      '{"model":"dear","model":"x","n":9,"max_tokens":1,"max_completion_tokens":99999,"stream":false,"stream":true,"messages":[]}';
    const { body } = buildChatRequest(testCall({ text, body: JSON.parse(text) }), targetWith({}));
    expect(textOf(body)).toBe('{"messages":[],"max_tokens":100,"model":"upstream-model"}');
  });

  test('includes the prompt of text completions', () => {
    const text = '{"model":"m","prompt":["a","b","c"],"prompt":"a","best_of":1,"best_of":3,"n":2}';
    const target = targetWith({ outputCapParameter: 'max_completion_tokens' });
    const { body } = buildCompletionRequest(parseCompletion(text), target);
    expect(textOf(body)).toBe('{"prompt":"a","best_of":3,"n":2,"max_tokens":100,"model":"upstream-model"}');
  });

  test('includes the engine that reads documents, where the provider has dear ones', () => {
    const file = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } };
    const text = { type: 'text', text: 'What does it say?' };
    const withFile = { messages: [...messages, { role: 'user', content: [text, file] }] };
    const engine = (documentEngine: Quirks['documentEngine']) => [
      { id: 'file-parser', pdf: { engine: documentEngine } },
    ];
    expect(sent(withFile, { documentEngine: 'native' }).plugins).toEqual(engine('native'));
    const given = { ...withFile, plugins: [] };
    expect(sent(given, { documentEngine: 'cloudflare-ai' }).plugins).toEqual(engine('cloudflare-ai'));
    expect(sent(withFile)).not.toHaveProperty('plugins');
    const withoutFile = { messages: [{ role: 'user', content: [text] }] };
    expect(sent(withoutFile, { documentEngine: 'native' })).not.toHaveProperty('plugins');
  });

  test('includes the usage of streams, next to their other options', () => {
    const options = { stream_options: { include_obfuscation: false, include_usage: false } };
    expect(sent({ messages, ...options }, {}, { stream: true })).toMatchObject({
      stream: true,
      stream_options: { include_obfuscation: false, include_usage: true },
    });
    expect(sent({ messages, ...options }, { streamUsage: false }, { stream: true })).not.toHaveProperty(
      'stream_options',
    );
    expect(sent({ messages, ...options })).not.toHaveProperty('stream_options');
  });
});

test('embeddings are requested as numbers, whatever the client’s format', () => {
  const body = { input: ['a'], encoding_format: 'base64', dimensions: 3, stream: true };
  const expected = { input: ['a'], dimensions: 3, model: 'upstream-model' };
  expect(sent(body, {}, {}, 'embedding')).toEqual({ ...expected, encoding_format: 'float' });
  expect(sent(body, { dropParameters: ['encoding_format'] }, {}, 'embedding')).toEqual(expected);
});

describe('the URL and headers of a provider', () => {
  test('default to OpenAI’s', () => {
    expect(addressed({})).toMatchObject({
      url: 'http://127.0.0.1:9/v1/chat/completions',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
    });
    expect(addressed({}, 'completion').url).toBe('http://127.0.0.1:9/v1/completions');
    expect(addressed({}, 'embedding').url).toBe('http://127.0.0.1:9/v1/embeddings');
  });

  test('can have Azure’s header, paths by deployment, and version', () => {
    const azure: Quirks = {
      authHeader: 'api-key',
      query: { 'api-version': '2024-10-21' },
      paths: { chat: '/deployments/{model}/chat/completions' },
    };
    const { url, headers } = addressed(azure);
    expect(url).toBe('http://127.0.0.1:9/v1/deployments/upstream-model/chat/completions?api-version=2024-10-21');
    expect(headers).toMatchObject({ 'api-key': 'secret' });
    expect(headers).not.toHaveProperty('authorization');
  });

  test('can have a scheme, a model prefix and more headers, as for YandexGPT and OpenRouter', () => {
    const { headers, body } = addressed({
      authScheme: 'Api-Key',
      modelPrefix: 'gpt://folder/',
      headers: { 'http-referer': 'https://example.com', 'x-title': 'Gateway' },
    });
    expect(headers).toMatchObject({ authorization: 'Api-Key secret', 'x-title': 'Gateway' });
    expect(JSON.parse(String(textOf(body))).model).toBe('gpt://folder/upstream-model');
  });
});

describe('parameters for an OpenAI-compatible provider', () => {
  test('have other names at some providers', () => {
    const mistral: Quirks = { seedParameter: 'random_seed', toolChoiceRequired: 'any' };
    expect(sent({ messages, seed: 7, tool_choice: 'required' }, mistral)).toMatchObject({
      random_seed: 7,
      tool_choice: 'any',
    });
    expect(sent({ messages, seed: 7 }, mistral)).not.toHaveProperty('seed');
    expect(sent({ messages, tool_choice: 'auto' }, mistral).tool_choice).toBe('auto');
    expect(sent({ messages }, { outputCapParameter: 'max_completion_tokens' })).toMatchObject({
      max_completion_tokens: 100,
    });
  });

  const metadata = { team: 'search' };

  test.each([
    ['chat', { messages }],
    ['completion', { prompt: 'a' }],
    ['embedding', { input: 'a' }],
  ] as const)('have `metadata`, unless the entry of the provider drops it: %s', (kind, body) => {
    expect(sent({ ...body, metadata }, {}, {}, kind)).toMatchObject({ metadata });
    expect(sent({ ...body, metadata }, { dropParameters: ['metadata'] }, {}, kind)).not.toHaveProperty('metadata');
  });

  test.each([
    ['image', { prompt: 'a' }],
    ['speech', { input: 'a', voice: 'v' }],
    ['rerank', { query: 'a', documents: ['b'] }],
    ['moderation', { input: 'a' }],
  ] as const)(
    'have no `metadata` where none is known, unless the entry of the provider allows it: %s',
    (kind, body) => {
      expect(sent({ ...body, metadata }, {}, {}, kind)).not.toHaveProperty('metadata');
      expect(sent({ ...body, metadata }, { allowParameters: ['metadata'] }, {}, kind)).toMatchObject({ metadata });
    },
  );

  test('are dropped or refused if the provider lacks them, and passed on otherwise', () => {
    const body = { messages, logit_bias: { 1: 2 }, guided_choice: ['yes', 'no'], user: null };
    expect(sent(body)).toMatchObject(body);
    expect(sent(body, { dropParameters: ['logit_bias'] })).not.toHaveProperty('logit_bias');
    expect(() => sent(body, { refuseParameters: ['logit_bias'] })).toThrow(
      expect.objectContaining({ code: 'unsupported_parameter', param: 'logit_bias' }),
    );
    expect(sent(body, { refuseParameters: ['user', 'seed'] })).toMatchObject(body);
  });

  test.each([
    [undefined, { reasoning_effort: 'low' }, { reasoning_effort: 'low' }],
    [undefined, { reasoning: { effort: 'low' } }, { reasoning: { effort: 'low' } }],
    ['reasoning_effort', { reasoning: { effort: 'low' } }, { reasoning_effort: 'low' }],
    ['reasoning_effort', { reasoning: { max_tokens: 1024 } }, { reasoning_effort: 'low' }],
    ['reasoning_effort', { reasoning: { max_tokens: 2048, effort: null } }, { reasoning_effort: 'medium' }],
    ['reasoning_effort', { reasoning: { max_tokens: 8000 } }, { reasoning_effort: 'high' }],
    ['reasoning_effort', { reasoning: { max_tokens: 8000 }, reasoning_effort: 'low' }, { reasoning_effort: 'low' }],
    [undefined, { reasoning: { max_tokens: 8000 } }, { reasoning: { max_tokens: 8000 } }],
    ['reasoning', { reasoning_effort: 'low' }, { reasoning: { effort: 'low' } }],
    ['reasoning', { reasoning: { max_tokens: 9 } }, { reasoning: { max_tokens: 9 } }],
    ['none', { reasoning_effort: 'low', reasoning: { effort: 'low' } }, {}],
    ['reasoning_effort', {}, {}],
  ] as const)('a reasoning effort is sent in the provider’s format: %s, %j', (reasoningParameter, body, expected) => {
    const { reasoning, reasoning_effort } = sent(
      { messages, ...body },
      reasoningParameter ? { reasoningParameter } : {},
    );
    expect({ reasoning, reasoning_effort }).toEqual({
      reasoning: undefined,
      reasoning_effort: undefined,
      ...expected,
    } as never);
  });
});

describe('messages for an OpenAI-compatible provider', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
  const turns = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'One?' },
    { role: 'assistant', content: '1', reasoning_content: 'old' },
    { role: 'user', content: 'Two?' },
    { role: 'assistant', content: null, reasoning_content: 'new', tool_calls: [call('call_abc'), call('gSIMJiOkT')] },
    { role: 'tool', tool_call_id: 'call_abc', content: '2' },
    { role: 'tool', tool_call_id: 'gSIMJiOkT', content: '2' },
  ];

  test('stay unchanged to the byte if no quirk affects them', () => {
    const text = `{"messages": ${JSON.stringify(turns, null, 1)}}`;
    const { body } = buildChatRequest(testCall({ text, body: JSON.parse(text) }), targetWith({}));
    expect(textOf(body)).toContain(JSON.stringify(turns, null, 1));
  });

  test('have tool call ids of 9 letters or digits, the same for a call and its result', () => {
    const read = () => sent({ messages: turns }, { toolCallIds: 'alphanumeric9' }).messages;
    const [first, second] = read()[4].tool_calls;
    expect(first.id).toMatch(/^[0-9A-Za-z]{9}$/);
    expect(read()[5].tool_call_id).toBe(first.id);
    expect([second.id, read()[6].tool_call_id]).toEqual(['gSIMJiOkT', 'gSIMJiOkT']);
    expect(read()).toEqual(read());
  });

  test('have system messages for developer messages if the provider does not support them', () => {
    expect(sent({ messages: turns }, { developerRole: 'system' }).messages[0]).toEqual({
      role: 'system',
      content: 'Be brief.',
    });
  });

  test.each([
    ['always', ['old', 'new', undefined]],
    ['required', ['old', 'new', '']],
    ['never', [undefined, undefined, undefined]],
  ] as const)('return reasoning %s', (reasoningContent, expected) => {
    const lost = { role: 'assistant', content: null, tool_calls: [call('call_def')] };
    const read = sent({ messages: [...turns, lost] }, { reasoningContent }).messages;
    expect([2, 4, 7].map((position) => read[position].reasoning_content)).toEqual([...expected]);
  });
});
