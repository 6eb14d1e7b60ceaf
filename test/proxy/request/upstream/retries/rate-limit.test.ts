/** What a provider's 429 is about, by real messages and headers. */
import { expect, test } from 'bun:test';
import { limitCauseOf } from '../../../../../proxy/request/upstream/retries/rate-limit.ts';

const causeOf = (message: string, headers: Record<string, string> = {}, error: object = {}) =>
  limitCauseOf(new Headers(headers), { message, body: JSON.stringify({ error: { message, ...error } }) });

const reached =
  'Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Used 25000, Requested 8000. Please try again in 6s.';
const wouldExceed =
  'This request would exceed the rate limit for your organization of 20,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested, or try again later.';

test.each([
  'Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 31538. The input or output tokens must be reduced in order to run successfully.',
  'Rate limit reached on tokens per minute (TPM): Limit 6000, Requested 7021.',
  'Extra usage is required for long context requests.',
  'Extra usage is required for 1M context.',
  'The long context beta is not yet available for this subscription.',
])('the message %s means that the request is too large, whatever the headers say', (message) => {
  expect(causeOf(message)).toBe('request');
  expect(causeOf(message, { 'x-ratelimit-remaining-tokens': '0' })).toBe('request');
});

test('a request that would exceed the rest of a quota is too large, unless nothing is left', () => {
  expect(causeOf(wouldExceed)).toBe('request');
  expect(causeOf(wouldExceed, { 'anthropic-ratelimit-input-tokens-remaining': '4000' })).toBe('request');
  expect(causeOf(wouldExceed, { 'anthropic-ratelimit-input-tokens-remaining': '0' })).toBe('quota');
});

test.each([
  'x-ratelimit-remaining-requests',
  'x-ratelimit-remaining-tokens',
  'X-RateLimit-Remaining',
  'RateLimit-Remaining',
  'x-ratelimit-remaining-requests-day',
  'anthropic-ratelimit-requests-remaining',
  'anthropic-ratelimit-tokens-remaining',
  'anthropic-ratelimit-input-tokens-remaining',
  'anthropic-ratelimit-output-tokens-remaining',
])('the header %s at zero means that the quota is exhausted', (name) => {
  expect(causeOf(reached, { [name]: '0' })).toBe('quota');
  for (const value of ['1', '5000', '', 'none', '0.5']) expect(causeOf(reached, { [name]: value })).toBe('rate');
});

test('an account without credit has an exhausted quota', () => {
  const message = 'You exceeded your current quota, please check your plan and billing details.';
  expect(causeOf(message, {}, { code: 'insufficient_quota' })).toBe('quota');
  expect(causeOf(message)).toBe('rate');
});

test('any other 429 is a rate limit of unknown cause', () => {
  for (const message of [reached, 'slow down', '']) expect(causeOf(message, { 'retry-after': '20' })).toBe('rate');
});
