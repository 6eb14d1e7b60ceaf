/** A whole Gemini response becomes a chat completion; its errors are read in every shape. */
import { describe, expect, test } from 'bun:test';
import { noUsage } from '../../../../../proxy/nouns/usage.ts';
import { geminiAdapter } from '../../../../../proxy/providers/gemini/gemini-adapter.ts';
import { openaiSchemasMissing, schemaProblems } from '../../../../harness/openapi/openai-schemas.ts';
import { chat, chatCall, targetOf } from '../chat-call.ts';

function read(response: unknown) {
  const body = chat.readBody(
    typeof response === 'string' ? response : JSON.stringify(response),
    chatCall(),
    targetOf().deployment,
  );
  const completion = JSON.parse(body.render({ usage: body.usage ?? noUsage, costUsd: '0.5' }));
  if (!openaiSchemasMissing) expect(schemaProblems('CreateChatCompletionResponse', completion)).toEqual([]);
  return { ...body, completion };
}

const candidate = (parts: readonly object[], finishReason?: string, extra: object = {}) => ({
  content: { role: 'model', parts },
  finishReason,
  ...extra,
});

test('thoughts, text, calls, images and the signature become members of the message', () => {
  const { completion, usage, outputTexts } = read({
    candidates: [
      candidate(
        [
          { text: 'Hm. ', thought: true },
          { text: 'Well, ' },
          { text: 'yes.', thoughtSignature: 's1' },
          { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 's2' },
          { functionCall: { name: 'g', id: 'c2' } },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
        ],
        'STOP',
      ),
    ],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 6, thoughtsTokenCount: 7, totalTokenCount: 18 },
  });
  expect(completion).toMatchObject({ object: 'chat.completion', model: 'test/gemini' });
  expect(completion.id).toMatch(/^chatcmpl-/);
  expect(completion.choices).toEqual([
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Well, yes.',
        refusal: null,
        reasoning_content: 'Hm. ',
        images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
        tool_calls: [
          {
            id: expect.stringMatching(/^call_/),
            type: 'function',
            function: { name: 'f', arguments: '{"a":1}' },
            extra_content: { google: { thought_signature: 's2' } },
          },
          { id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
        extra_content: { google: { thought_signature: 's1' } },
      },
      finish_reason: 'tool_calls',
      logprobs: null,
    },
  ]);
  expect(usage).toMatchObject({ promptTokens: 5, completionTokens: 13, reasoningTokens: 7 });
  expect(completion.usage).toMatchObject({ total_tokens: 18, cost: 0.5 });
  expect(outputTexts).toEqual(['Hm. ', 'Well, ', 'yes.', 'f', '{"a":1}', 'g', '{}']);
});

test('several candidates, a blocked prompt and a response of only thoughts become choices', () => {
  const two = read({
    candidates: [candidate([{ text: 'a' }], 'STOP'), candidate([{ text: 'b' }], 'SAFETY', { index: 1 })],
  });
  expect(two.completion.choices.map(({ finish_reason }: { finish_reason: string }) => finish_reason)).toEqual([
    'stop',
    'content_filter',
  ]);
  const without = read({ candidates: [candidate([{ text: 'a' }], 'STOP'), candidate([{ text: 'b' }], 'STOP')] });
  expect(without.completion.choices.map(({ index }: { index: number }) => index)).toEqual([0, 1]);
  expect(two.usage).toBeNull();
  const blocked = read({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }).completion.choices;
  expect(blocked).toMatchObject([{ message: { content: '' }, finish_reason: 'content_filter' }]);
  const thought = read({ candidates: [{ finishReason: 'MAX_TOKENS', index: 0 }] }).completion.choices;
  expect(thought).toMatchObject([{ message: { content: '' }, finish_reason: 'length' }]);
});

test('an invalid response is a failure of the provider', () => {
  expect(() => read('<html>')).toThrow('not JSON');
  expect(() => read('[]')).toThrow('unreadable');
  expect(() => read({})).toThrow('without candidates');
  expect(() => read({ candidates: [] })).toThrow('without candidates');
  expect(() => read({ candidates: [candidate([], 'MALFORMED_FUNCTION_CALL')] })).toThrow('MALFORMED_FUNCTION_CALL');
  expect(() => read({ error: { message: 'inside a 200' } })).toThrow('inside a 200');
});

describe("Gemini's errors", () => {
  const failure = (body: unknown) =>
    geminiAdapter.readFailure(typeof body === 'string' ? body : JSON.stringify(body), new Headers());
  const retry = (retryDelay: unknown) => ({
    error: {
      message: 'slow down',
      details: [{ '@type': 'x' }, { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }],
    },
  });

  test('are read alone and in an array', () => {
    const error = { error: { code: 400, message: 'no such field', status: 'INVALID_ARGUMENT' } };
    expect(failure(error)).toEqual({ message: 'no such field' });
    expect(failure([error])).toEqual({ message: 'no such field' });
    expect(failure({ error: { status: 'UNAVAILABLE' } })).toEqual({ message: 'UNAVAILABLE' });
    expect(failure({ error: 'plain' })).toEqual({ message: 'plain' });
  });

  test('say when to retry', () => {
    expect(failure(retry('34.4s'))).toEqual({ message: 'slow down', retryAfterMs: 34_400 });
    expect(failure([retry('7s')])).toEqual({ message: 'slow down', retryAfterMs: 7_000 });
    for (const odd of ['-5s', 'soon', '', 7, null, '1e9s'])
      expect(failure(retry(odd))).toEqual({ message: 'slow down' });
  });

  test('errors of Gemini about the gateway’s key or account are recognized, although their status is 400', () => {
    const invalidKey = {
      error: { code: 400, message: 'API key not valid.', details: [{ reason: 'API_KEY_INVALID' }] },
    };
    const location = { error: { message: 'User location is not supported.', status: 'FAILED_PRECONDITION' } };
    const file = { error: { message: 'The file is not in an ACTIVE state.', status: 'FAILED_PRECONDITION' } };
    expect(failure(invalidKey)).toMatchObject({ refusesGateway: true });
    expect(failure(location)).toMatchObject({ refusesGateway: true });
    expect(failure(file)).not.toHaveProperty('refusesGateway');
  });

  test('have no message if they cannot be read', () => {
    for (const odd of ['', '<html>', 'null', '{}', '[]', '{"error":null}', '{"error":{}}']) {
      expect(failure(odd)).toEqual({ message: undefined });
    }
  });
});
