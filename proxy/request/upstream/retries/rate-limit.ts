/**
 * What a provider's 429 is about. All customers of the gateway share its quotas, so none of them must be able to make
 * one look exhausted.
 */
import type { ResponseHeaders } from '../../../nouns/http-response.ts';
import type { LimitCause } from '../../../nouns/upstream-failure.ts';

/** OpenAI's and Groq's "Request too large for …", and Anthropic's message about prompts beyond the usual context. */
const tooLargeAlone = /too large|long[- ]context|1m context/i;
/** OpenAI and Groq: "Limit 30000, Requested 31538". */
const limitAndRequested = /limit:? (\d+),.*requested:? (\d+)/is;
/** Anthropic: "This request would exceed … Please reduce the prompt length or the maximum tokens requested". */
const tooLargeNow = /would exceed|reduce (?:the|your) (?:prompt|message|input|length|max)/i;
/** OpenAI, if the account has no credit left. */
const accountIsEmpty = /"(?:code|type)"\s*:\s*"insufficient_quota"/;

/** OpenAI, Azure, Groq: `x-ratelimit-remaining-requests`. Anthropic: `anthropic-ratelimit-input-tokens-remaining`. */
const remaining = /ratelimit.*remaining/;
const nothing = /^\s*0+(?:\.0+)?\s*$/;

/** `message` is the message in `body`. */
export function limitCauseOf(
  headers: ResponseHeaders,
  { body, message }: { body: string; message: string },
): LimitCause {
  if (tooLargeAlone.test(message) || exceedsLimit(message)) return 'request';
  if (accountIsEmpty.test(body) || hasNothingLeft(headers)) return 'quota';
  return tooLargeNow.test(message) ? 'request' : 'rate';
}

function exceedsLimit(message: string): boolean {
  const [, limit, requested] = limitAndRequested.exec(message) ?? [];
  return limit !== undefined && Number(requested) > Number(limit);
}

function hasNothingLeft(headers: ResponseHeaders): boolean {
  for (const [name, value] of headers) if (remaining.test(name) && nothing.test(value)) return true;
  return false;
}
