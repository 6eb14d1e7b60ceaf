/** A chat completion becomes the equivalent message, with its cost. */
import { describe, expect, test } from 'bun:test';
import { messagesDialect } from '../../../../proxy/api/messages/messages-dialect.ts';
import type { ChatCompletion } from '../../../../proxy/nouns/chat-completion.ts';
import { noUsage } from '../../../../proxy/nouns/usage.ts';
import { type ErrorCode, GatewayError } from '../../../../shared/errors.ts';
import { parseMessages } from '../parse.ts';

const requestId = '01920000-0000-7000-8000-000000000001';
const call = parseMessages('{"model":"asked","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}');
const charge = {
  usage: {
    ...noUsage,
    promptTokens: 100,
    cachedPromptTokens: 60,
    cacheWriteTokens: 30,
    completionTokens: 7,
    reasoningTokens: 2,
  },
  costUsd: '0.000000000001',
};

type Message = ChatCompletion['choices'][number]['message'];

function renderText(message: Partial<Message>, finish: ChatCompletion['choices'][number]['finish_reason'] = 'stop') {
  const completion: ChatCompletion = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'asked',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: null, ...message },
        finish_reason: finish,
        logprobs: null,
      },
    ],
  };
  return messagesDialect.renderBody(completion, { call, charge, requestId });
}

const render = (...args: Parameters<typeof renderText>) => JSON.parse(renderText(...args));

const toolCall = (id: string, args: string) => ({
  id,
  type: 'function' as const,
  function: { name: 'clock', arguments: args },
});

test('a text completion becomes a message with a text block', () => {
  expect(render({ content: 'Grüße' })).toEqual({
    id: 'msg_01920000000070008000000000000001',
    type: 'message',
    role: 'assistant',
    model: 'asked',
    content: [{ type: 'text', text: 'Grüße' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 0 },
      cache_read_input_tokens: 60,
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 2 },
      cost: 1e-12,
    },
  });
});

test('the cost in a message is the charge, exact to the digit', () => {
  expect(renderText({ content: 'a' })).toEndWith('"cost":0.000000000001}}');
});

describe('the content of a message', () => {
  test('begins with thinking, with its signature', () => {
    const signed = { type: 'thinking' as const, thinking: 'Hm.', signature: 'c2ln' };
    const redacted = { type: 'redacted_thinking' as const, data: 'ZA' };
    const response = { content: 'Yes.', reasoning_content: 'Hm.', thinking_blocks: [signed, redacted] };
    expect(render(response).content).toEqual([signed, redacted, { type: 'text', text: 'Yes.' }]);
    expect(render({ content: 'Yes.', reasoning_content: 'Hm.' }).content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'text', text: 'Yes.' },
    ]);
  });

  test('has the input of tool calls as an object', () => {
    const calls = [toolCall('a', '{"x":[1,2]}'), toolCall('b', ''), toolCall('c', '{}')];
    const message = render({ content: '', tool_calls: calls }, 'tool_calls');
    expect(message.stop_reason).toBe('tool_use');
    expect(message.content).toEqual([
      { type: 'tool_use', id: 'a', name: 'clock', input: { x: [1, 2] } },
      { type: 'tool_use', id: 'b', name: 'clock', input: {} },
      { type: 'tool_use', id: 'c', name: 'clock', input: {} },
    ]);
  });

  test('keeps the digits of a number in an input', () => {
    expect(renderText({ tool_calls: [toolCall('a', '{"id":9007199254740993}')] })).toContain('{"id":9007199254740993}');
  });

  test('wraps an input that is not an object', () => {
    for (const broken of ['{"x":', '[1]', 'null', '"a"', '{} {}']) {
      const { content } = render({ tool_calls: [toolCall('a', broken)] });
      expect(content[0].input).toEqual({ INVALID_JSON: broken });
    }
  });

  test('keeps data with the call that a provider needs back', () => {
    const extra = { google: { thought_signature: 's' } };
    const { content } = render({ tool_calls: [{ ...toolCall('a', '{}'), extra_content: extra }] });
    expect(content[0].extra_content).toEqual(extra);
  });

  test('is an empty list for an empty response', () => {
    expect(render({ content: '' }).content).toEqual([]);
  });
});

test.each([
  ['stop', {}, 'end_turn'],
  ['length', {}, 'max_tokens'],
  ['content_filter', {}, 'refusal'],
  ['function_call', {}, 'tool_use'],
  ['stop', { tool_calls: [toolCall('a', '{}')] }, 'tool_use'],
  ['length', { tool_calls: [toolCall('a', '{')] }, 'max_tokens'],
  ['stop', { refusal: 'No.' }, 'refusal'],
] as const)('the finish reason %s of %j becomes %s', (finish, message, reason) => {
  expect(render(message, finish).stop_reason).toBe(reason);
});

test('a refusal becomes text of the message', () => {
  expect(render({ refusal: 'No.' }).content).toEqual([{ type: 'text', text: 'No.' }]);
});

test.each<[ErrorCode, string]>([
  ['invalid_parameter', 'invalid_request_error'],
  ['invalid_api_key', 'authentication_error'],
  ['key_deactivated', 'permission_error'],
  ['insufficient_balance', 'billing_error'],
  ['balance_reserved', 'billing_error'],
  ['model_not_found', 'not_found_error'],
  ['method_not_allowed', 'invalid_request_error'],
  ['body_too_large', 'request_too_large'],
  ['rate_limit_exceeded', 'rate_limit_error'],
  ['internal_error', 'api_error'],
  ['upstream_error', 'api_error'],
  ['wallet_unavailable', 'overloaded_error'],
])('the error %s becomes %s', (code, type) => {
  const error = new GatewayError(code, 'Words.', { param: 'model' });
  expect(messagesDialect.renderError(error, requestId)).toEqual({
    type: 'error',
    error: { type, message: 'Words.', code, param: 'model' },
    request_id: requestId,
  });
});
