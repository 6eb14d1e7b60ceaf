/** Whether a refused request was too long for its model, so that another one may be asked. */
import { expect, test } from 'bun:test';
import { httpResponseOf } from '../../../../proxy/nouns/http-response.ts';
import { openaiAdapter } from '../../../../proxy/providers/openai/openai-adapter.ts';
import { refusalOfProvider } from '../../../../proxy/request/upstream/refusal-of-provider.ts';

async function isTooLong(message: string, { status = 400, code = 'invalid_request_error' } = {}): Promise<boolean> {
  const response = Response.json({ error: { message, type: 'invalid_request_error', code } }, { status });
  const { reason, isTooLong: isLong } = await refusalOfProvider(httpResponseOf(response), openaiAdapter);
  expect(reason).toBe('rejected');
  return isLong;
}

/** As OpenAI, Anthropic, Google, Amazon, Mistral, Groq, vLLM and llama.cpp say it. */
test.each([
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
  'Your input exceeds the context window of this model. Please adjust your input and try again.',
  'prompt is too long: 208310 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
  'The input token count (1089000) exceeds the maximum number of tokens allowed (1048576).',
  'Input is too long for requested model.',
  'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
  'Please reduce the length of the messages or completion.',
  'the request exceeds the available context size, try increasing it',
])('a request is too long if its provider says %p', async (message) => {
  expect(await isTooLong(message)).toBe(true);
});

test('a code and a status say so too', async () => {
  expect(await isTooLong('No.', { code: 'context_length_exceeded' })).toBe(true);
  expect(await isTooLong('No.', { status: 413 })).toBe(true);
});

test.each([
  "Invalid value for 'temperature': expected a number from 0 to 2.",
  "Invalid 'stop': array too long. Expected an array with maximum length 4.",
  'messages: roles must alternate between "user" and "assistant"',
  'Your request was rejected as a result of our safety system.',
])('any other refusal is none: %p', async (message) => {
  expect(await isTooLong(message)).toBe(false);
});
