/** Anthropic's whole messages, and its errors. */
import { describe, expect, test } from 'bun:test';
import type { ChatCompletion } from '../../../../../proxy/nouns/chat-completion.ts';
import { UpstreamFailure } from '../../../../../proxy/nouns/upstream-failure.ts';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import { readMessageBody } from '../../../../../proxy/providers/anthropic/response/read-body.ts';
import { readFailure } from '../../../../../proxy/providers/anthropic/response/read-failure.ts';
import { openaiSchemasMissing, schemaProblems } from '../../../../harness/openapi/openai-schemas.ts';

function read(message: object | string, jsonTool?: string) {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  const response = readMessageBody(body, { model: 'test/claude', nowMs: 1_790_000_000_999, jsonTool });
  const text = response.render({ usage: response.usage ?? noUsage, costUsd: '0.00000012' });
  return { ...response, text, completion: JSON.parse(text) as ChatCompletion };
}

const message = (content: readonly object[], fields: object = {}) => ({
  id: 'msg_01Abc',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 12, output_tokens: 9 },
  ...fields,
});

const thoughtful = message(
  [
    { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
    { type: 'redacted_thinking', data: 'opaque' },
    { type: 'text', text: 'Two ', citations: [{ type: 'char_location', cited_text: 'x' }] },
    { type: 'server_tool_use', id: 'srv', name: 'web_search', input: { query: 'x' } },
    { type: 'web_search_tool_result', tool_use_id: 'srv', content: [] },
    { type: 'hologram', text: 5 },
    { type: 'text', text: 'calls.' },
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { place: 'Oslo' } },
    { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} },
  ],
  {
    stop_reason: 'tool_use',
    usage: {
      input_tokens: 3,
      cache_creation_input_tokens: 200,
      cache_read_input_tokens: 1000,
      output_tokens: 80,
      output_tokens_details: { thinking_tokens: 30 },
    },
  },
);

describe('a whole message of Anthropic', () => {
  test('becomes a chat completion, without blocks of unknown types', () => {
    const { completion, usage, outputTexts } = read(thoughtful);
    expect(completion).toMatchObject({
      id: 'chatcmpl-01Abc',
      object: 'chat.completion',
      created: 1_790_000_000,
      model: 'test/claude',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Two calls.',
            refusal: null,
            reasoning_content: 'Hm.',
            thinking_blocks: [
              { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
              { type: 'redacted_thinking', data: 'opaque' },
            ],
            tool_calls: [
              { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{"place":"Oslo"}' } },
              { id: 'toolu_2', type: 'function', function: { name: 'now', arguments: '{}' } },
            ],
          },
          finish_reason: 'tool_calls',
          logprobs: null,
        },
      ],
      usage: { prompt_tokens: 1203, completion_tokens: 80, total_tokens: 1283, cost: 0.00000012 },
    });
    expect(usage).toEqual({
      ...noUsage,
      promptTokens: 1203,
      cachedPromptTokens: 1000,
      cacheWriteTokens: 200,
      completionTokens: 80,
      reasoningTokens: 30,
      webSearches: 1,
    });
    expect(outputTexts).toEqual(['Two calls.', 'Hm.', 'weather', '{"place":"Oslo"}', 'now', '{}']);
  });

  test.skipIf(openaiSchemasMissing)('validates against OpenAI’s schema, whatever members are missing', () => {
    const messages = [
      thoughtful,
      message([]),
      { content: [{ type: 'tool_use' }] },
      { content: [], stop_reason: 'refusal' },
    ];
    for (const each of messages) {
      expect(schemaProblems('CreateChatCompletionResponse', read(each).completion)).toEqual([]);
    }
  });

  test('has null as content only with tool calls', () => {
    const { choices } = read(message([{ type: 'tool_use', id: 'a', name: 'f', input: {} }])).completion;
    expect(choices[0]?.message.content).toBeNull();
    expect(read(message([])).completion.choices[0]?.message.content).toBe('');
  });

  test('gets the members that the provider left out', () => {
    const { completion, usage } = read({ content: [{ type: 'tool_use', name: 'f' }] });
    expect(completion).toMatchObject({ model: 'test/claude', id: expect.stringMatching(/^chatcmpl-.{36}$/) });
    expect(completion.choices[0]).toMatchObject({
      message: { tool_calls: [{ id: expect.stringMatching(/^call_.{36}_0$/), function: { arguments: '{}' } }] },
      finish_reason: 'tool_calls',
    });
    expect(usage).toBeNull();
  });

  test('keeps integers beyond 2^53 in arguments', () => {
    const text = JSON.stringify(message([{ type: 'tool_use', id: 'a', name: 'f', input: { id: 1 } }]));
    const { completion } = read(text.replace('"id":1}', '"id":12345678901234567890}'));
    expect(completion.choices[0]?.message.tool_calls?.[0]?.function.arguments).toBe('{"id":12345678901234567890}');
  });

  test('a whole message with a call of the JSON tool has its input as content, without other text', () => {
    const input = { city: 'Oslo' };
    const content = [
      { type: 'text', text: 'Here:' },
      { type: 'tool_use', id: 'a', name: 'json', input },
    ];
    const response = read(message(content, { stop_reason: 'tool_use' }), 'json');
    expect(response.completion.choices[0]).toMatchObject({
      message: { content: '{"city":"Oslo"}' },
      finish_reason: 'stop',
    });
    expect(response.completion.choices[0]?.message.tool_calls).toBeUndefined();
    expect(response.outputTexts).toEqual(['{"city":"Oslo"}', '']);
    expect(read(message(content), undefined).completion.choices[0]?.message.tool_calls).toHaveLength(1);
  });

  test('a refusal ends with content_filter, and a full context or a pause with length', () => {
    const finish = (stop_reason: string) => read(message([], { stop_reason })).completion.choices[0]?.finish_reason;
    expect([
      finish('refusal'),
      finish('model_context_window_exceeded'),
      finish('max_tokens'),
      finish('pause_turn'),
    ]).toEqual(['content_filter', 'length', 'length', 'length']);
  });
});

describe('an invalid message of Anthropic', () => {
  const failureOf = (body: object | string) => {
    try {
      read(body);
    } catch (error) {
      if (error instanceof UpstreamFailure) return `${error.reason}: ${error.message}`;
      throw error;
    }
    return undefined;
  };

  test('is malformed, or refused with the provider’s message', () => {
    expect(failureOf('<html>')).toStartWith('malformed');
    expect(failureOf('null')).toStartWith('malformed');
    expect(failureOf({ id: 'msg' })).toStartWith('malformed');
    expect(failureOf({ content: 'text' })).toStartWith('malformed');
    expect(failureOf(message([{ type: 'text', text: 5 }]))).toStartWith('malformed');
    expect(failureOf({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })).toBe(
      'refused: Overloaded',
    );
  });
});

describe("Anthropic's error responses", () => {
  const error = (type: string, text: string) => JSON.stringify({ type: 'error', error: { type, message: text } });

  test('have the provider’s message', () => {
    expect(readFailure(error('invalid_request_error', 'max_tokens: too large'))).toEqual({
      message: 'max_tokens: too large',
      refusesGateway: false,
    });
    expect(readFailure('{"message":"upside down"}').message).toBe('upside down');
    expect(readFailure('{"error":"plain"}').message).toBe('plain');
    for (const body of ['', '<html>', '[]', 'null', '{"error":{}}']) expect(readFailure(body).message).toBeUndefined();
  });

  test('error responses about the gateway’s account at Anthropic are not the client’s fault', () => {
    expect(readFailure(error('billing_error', 'x')).refusesGateway).toBe(true);
    const empty = 'Your credit balance is too low to access the Anthropic API.';
    expect(readFailure(error('invalid_request_error', empty)).refusesGateway).toBe(true);
  });
});
