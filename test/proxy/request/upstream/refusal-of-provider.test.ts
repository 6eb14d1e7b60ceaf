/** Whether a refused request was too long for its model, so that another one may be asked. */
import { expect, test } from 'bun:test';
import { httpResponseOf } from '../../../../proxy/nouns/http-response.ts';
import { UpstreamFailure } from '../../../../proxy/nouns/upstream-failure.ts';
import type { Deployment } from '../../../../proxy/pricing/catalogue.ts';
import { anthropicAdapter } from '../../../../proxy/providers/anthropic/anthropic-adapter.ts';
import { failureInside as anthropicFailure } from '../../../../proxy/providers/anthropic/response/read-failure.ts';
import { failureInside } from '../../../../proxy/providers/bedrock/response/converse-failure.ts';
import { readResponseObject as readGeminiObject } from '../../../../proxy/providers/gemini/response/read-response.ts';
import { openaiAdapter } from '../../../../proxy/providers/openai/openai-adapter.ts';
import { reportedFailure } from '../../../../proxy/providers/openai/response/read-response-object.ts';
import { verdictOn } from '../../../../proxy/request/upstream/health/verdict.ts';
import { refusalOfProvider } from '../../../../proxy/request/upstream/refusal-of-provider.ts';
import { errorAfter } from '../../../../proxy/request/upstream/retries/retry-policy.ts';

const refusedGateway = "The provider refused the gateway's request.";

async function isTooLong(message: string, { status = 400, code = 'invalid_request_error' } = {}): Promise<boolean> {
  const response = Response.json({ error: { message, type: 'invalid_request_error', code } }, { status });
  const { reason, isTooLong: isLong } = await refusalOfProvider(httpResponseOf(response), openaiAdapter);
  expect(reason).toBe('rejected');
  return isLong;
}

const tooLong = [
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
  'Your input exceeds the context window of this model. Please adjust your input and try again.',
  'prompt is too long: 208310 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
  'The input token count (1089000) exceeds the maximum number of tokens allowed (1048576).',
  'Input is too long for requested model.',
  'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
  'Please reduce the length of the messages or completion.',
  'the request exceeds the available context size, try increasing it',
  "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
  'The prompt is too long: 140000, model maximum context length: 131071',
  'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try a shorter prompt.',
  'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 64 `max_new_tokens`',
  'The decoder prompt (length 12324) is longer than the maximum model length of 8192.',
  'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length.',
  'Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)',
  'Range of input length should be [1, 30720]',
  'Prompt exceeds max length',
  'Error in session internal_id=1: number of input tokens must be no more than 32768, got 59830',
  'text length is 349354, which is outside the range (0, 100000]',
];

/** As it is said by OpenAI, Anthropic, Google, Amazon, Mistral, Groq, llama.cpp, xAI and others. */
test.each(tooLong)('a request is too long if its provider says %p', async (message) => {
  expect(await isTooLong(message)).toBe(true);
});

test.each(tooLong)('a request is too long if a stream begins with an error that says %p', (message) => {
  expect(reportedFailure({ message, code: 400 })).toMatchObject({ reason: 'rejected', isTooLong: true });
  expect(failureInside('validationException', { message })).toMatchObject({ reason: 'rejected', isTooLong: true });
});

test('a code and a status say so too', async () => {
  expect(await isTooLong('No.', { code: 'context_length_exceeded' })).toBe(true);
  expect(await isTooLong('No.', { status: 413 })).toBe(true);
});

test.each([
  "Invalid value for 'temperature': expected a number from 0 to 2.",
  'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.',
  "Invalid 'stop': array too long. Expected an array with maximum length 4.",
  'messages: roles must alternate between "user" and "assistant"',
  'Your request was rejected as a result of our safety system.',
])('any other refusal is none: %p', async (message) => {
  expect(await isTooLong(message)).toBe(false);
});

/** As xAI and OpenRouter refuse prompts, which must not take a deployment away from others. */
test.each([
  'Content violates usage guidelines. Team: t, Failed check: SAFETY_CHECK_TYPE_BIO',
  'Your chosen model requires moderation and your input was flagged for "violence".',
])('a prompt that is refused with 403 is at fault itself: %p', async (message) => {
  const response = Response.json({ error: { message, code: 403 } }, { status: 403 });
  const failure = await refusalOfProvider(httpResponseOf(response), openaiAdapter);
  expect([failure.reason, verdictOn(failure)]).toEqual(['rejected', 'alive']);
});

test.each([
  [openaiAdapter, { message: 'Incorrect API key provided: xa***bX.', code: 'Client specified an invalid argument' }],
  [openaiAdapter, { message: 'Billing hard limit has been reached', code: 'billing_hard_limit_reached' }],
  [openaiAdapter, { message: 'Your account is not active', code: 'billing_not_active' }],
  [anthropicAdapter, { message: 'Your credit balance is too low to access the API.', type: 'invalid_request_error' }],
  [anthropicAdapter, { message: 'You have reached your specified API usage limits.', type: 'invalid_request_error' }],
  [anthropicAdapter, { message: 'This organization has been disabled.', type: 'invalid_request_error' }],
] as const)(
  "what is wrong with our account is not the client's fault, whatever the status (%#)",
  async (adapter, error) => {
    const response = Response.json({ type: 'error', error }, { status: 400 });
    const failure = await refusalOfProvider(httpResponseOf(response), adapter);
    expect([failure.reason, verdictOn(failure)]).toEqual(['refused', 'locked_out']);
    expect(failure.message).not.toContain(error.message);
  },
);

test.each([
  ['context_length_exceeded', { reason: 'rejected', isTooLong: true }],
  ['invalid_prompt', { reason: 'rejected', isTooLong: false }],
  ['rate_limit_exceeded', { reason: 'refused', status: 429, limit: 'rate' }],
  ['insufficient_quota', { reason: 'refused', status: 429, limit: 'quota' }],
  ['server_error', { reason: 'refused', status: undefined }],
])('inside of a stream, %s has the meaning that it has as a response', (code, expected) => {
  expect(reportedFailure({ code, message: 'No.' })).toMatchObject(expected);
});

test.each([
  ['invalid_request_error', 'Output blocked by content filtering policy', { reason: 'rejected', isTooLong: false }],
  ['invalid_request_error', 'prompt is too long: 208310 tokens > 200000', { reason: 'rejected', isTooLong: true }],
  ['request_too_large', 'Request exceeds the maximum size', { reason: 'rejected', isTooLong: true }],
  ['rate_limit_error', 'No.', { reason: 'refused', status: 429, limit: 'rate' }],
  ['overloaded_error', 'Overloaded', { reason: 'refused', status: 529 }],
  ['invalid_request_error', 'Your credit balance is too low', { reason: 'refused', message: refusedGateway }],
])('inside of a stream of Anthropic, %s has the meaning that it has as a response: %s', (type, message, expected) => {
  expect(anthropicFailure({ type, message })).toMatchObject(expected);
});

test.each([
  [
    { code: 400, message: 'Unsupported.', status: 'INVALID_ARGUMENT' },
    { reason: 'rejected', message: 'Unsupported.' },
  ],
  [
    { code: 400, message: 'The input token count (9) exceeds 8.' },
    { reason: 'rejected', isTooLong: true },
  ],
  [
    { code: 429, message: 'Quota of project p.' },
    { reason: 'refused', status: 429, limit: 'rate' },
  ],
  [
    { code: 503, message: 'Overloaded.' },
    { reason: 'refused', status: 503, message: 'Overloaded.' },
  ],
  [
    { code: 403, message: 'Project p is disabled.' },
    { reason: 'refused', message: refusedGateway },
  ],
  [
    { code: 400, message: 'API key not valid.', details: [{ reason: 'API_KEY_INVALID' }] },
    { reason: 'refused', message: refusedGateway },
  ],
])('inside of a stream of Gemini, an error has the meaning that it has as a response: %j', (error, expected) => {
  expect(() => readGeminiObject(JSON.stringify({ error }))).toThrow(expect.objectContaining(expected));
});

test("a provider's rate limit is never shown, whatever else has failed", () => {
  const deployment = {} as Deployment;
  const limited = new UpstreamFailure('refused', 'Rate limit reached in organization org-A.', { status: 429 });
  const down = new UpstreamFailure('refused', 'down', { status: 500 });
  const error = errorAfter(
    [
      { deployment, failure: down },
      { deployment, failure: limited },
    ],
    { model: 'm', deployments: [deployment], readyInMs: 0 },
  );
  expect([error.code, error.message]).toEqual(['upstream_error', 'down']);
});
