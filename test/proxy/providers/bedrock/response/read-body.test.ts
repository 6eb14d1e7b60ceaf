/** Converse's whole responses, and its errors. */
import { describe, expect, test } from 'bun:test';
import { httpResponseOf } from '../../../../../proxy/nouns/http-response.ts';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import { adapterOf } from '../../../../../proxy/providers/adapters.ts';
import { readFailure } from '../../../../../proxy/providers/bedrock/response/converse-failure.ts';
import { readConverseBody } from '../../../../../proxy/providers/bedrock/response/read-body.ts';
import { refusalOfProvider } from '../../../../../proxy/request/upstream/refusal-of-provider.ts';

const usage = {
  inputTokens: 10,
  outputTokens: 7,
  totalTokens: 1217,
  cacheReadInputTokens: 1000,
  cacheWriteInputTokens: 200,
};
const body = (content: unknown, more: object = {}) =>
  JSON.stringify({ output: { message: { role: 'assistant', content } }, stopReason: 'end_turn', usage, ...more });

function read(text: string, jsonTool?: string) {
  const response = readConverseBody(text, { model: 'test/claude', nowMs: 1_790_000_000_999, jsonTool });
  const rendered = response.render({ usage: response.usage ?? noUsage, costUsd: '0.5' });
  return { response, completion: JSON.parse(rendered) as { choices: unknown[]; usage: object } };
}

test('thinking, text and calls become one message, and every kind of token is counted', () => {
  const { response, completion } = read(
    body(
      [
        { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig' } } },
        { reasoningContent: { redactedContent: 'b3BhcXVl' } },
        { text: 'I look ' },
        { text: 'it up.' },
        { guardContent: { text: 'none of ours' } },
        { toolUse: { toolUseId: 'tooluse_1', name: 'find', input: { id: 1 } } },
      ],
      { stopReason: 'tool_use' },
    ).replace('{"id":1}', '{"id":9007199254740993}'),
  );
  expect(response.usage).toEqual({
    ...noUsage,
    promptTokens: 1210,
    cachedPromptTokens: 1000,
    cacheWriteTokens: 200,
    completionTokens: 7,
    reasoningTokens: 0,
  });
  expect(completion.choices).toEqual([
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'I look it up.',
        refusal: null,
        reasoning_content: 'Hm.',
        thinking_blocks: [
          { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
          { type: 'redacted_thinking', data: 'b3BhcXVl' },
        ],
        tool_calls: [
          { id: 'tooluse_1', type: 'function', function: { name: 'find', arguments: '{"id":9007199254740993}' } },
        ],
      },
      finish_reason: 'tool_calls',
      logprobs: null,
    },
  ]);
  expect(completion.usage).toMatchObject({ prompt_tokens: 1210, completion_tokens: 7, cost: 0.5 });
  expect(response.outputTexts).toEqual(['I look it up.', 'Hm.', 'find', '{"id":9007199254740993}']);
});

test('the input of the JSON tool in a body is the content', () => {
  const { completion } = read(body([{ toolUse: { toolUseId: 't', name: 'json', input: { city: 'Oslo' } } }]), 'json');
  expect(completion.choices).toMatchObject([{ message: { content: '{"city":"Oslo"}' }, finish_reason: 'stop' }]);
});

test('invalid Converse responses are refused', () => {
  for (const text of ['', '<html>', '{}', '[]', 'null', '{"output":{}}', '{"output":{"message":{"content":"x"}}}']) {
    expect(() => read(text)).toThrow(/^The provider returned an?/);
  }
});

describe('a Bedrock error', () => {
  const adapter = adapterOf('bedrock');
  const failureOf = (status: number, type: string, message?: string) =>
    refusalOfProvider(
      httpResponseOf(
        new Response(JSON.stringify(message === undefined ? {} : { message }), {
          status,
          headers: { 'x-amzn-errortype': type },
        }),
      ),
      adapter,
    );

  test.each([
    [400, 'ValidationException', 'rejected', 400],
    [403, 'AccessDeniedException', 'refused', 403],
    [400, 'ExpiredTokenException', 'refused', 401],
    [403, 'UnrecognizedClientException:http://internal.amazon.com/coral/', 'refused', 401],
    [404, 'ResourceNotFoundException', 'refused', 404],
    [408, 'ModelTimeoutException', 'refused', 408],
    [424, 'ModelErrorException', 'refused', 500],
    [429, 'ThrottlingException', 'refused', 429],
    [429, 'ModelNotReadyException', 'refused', 503],
    [400, 'ServiceQuotaExceededException', 'refused', 429],
    [500, 'InternalServerException', 'refused', 500],
    [503, 'ServiceUnavailableException', 'refused', 503],
  ] as const)('a Bedrock error of %d %s becomes %s with %d', async (status, type, reason, shown) => {
    const failure = await failureOf(status, type, 'What happened.');
    const isOurs = type.startsWith('AccessDenied');
    expect(failure).toMatchObject({ reason, status: isOurs ? 401 : shown });
    const isPrivate = shown === 401 || shown === 403 || shown === 404;
    expect(failure.message).toBe(isPrivate ? "The provider refused the gateway's request." : 'What happened.');
  });

  test('a Bedrock error about a wrong model in the catalogue, or missing access, is not the client’s fault', async () => {
    for (const message of [
      'The provided model identifier is invalid.',
      'Invocation of model ID x with on-demand throughput isn’t supported.',
      'Operation not allowed',
    ]) {
      const failure = await failureOf(400, 'ValidationException', message);
      expect([message, failure.reason, failure.message]).toEqual([
        message,
        'refused',
        "The provider refused the gateway's request.",
      ]);
    }
  });

  test('is read in a body of any shape', () => {
    const headers = new Headers();
    expect(readFailure('{"Message":"upside down"}', headers).message).toBe('upside down');
    expect(readFailure('{"__type":"com.amazon.coral#ThrottlingException"}', headers).status).toBe(429);
    for (const text of ['', '<html>', '[]', 'null']) expect(readFailure(text, headers).message).toBeUndefined();
  });
});
