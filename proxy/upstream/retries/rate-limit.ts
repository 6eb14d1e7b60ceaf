/**
 * What a provider's 429 speaks of. Its quotas are shared by all customers of the gateway, so one of them must not be able
 * to make it look exhausted for the others.
 */

/**
 * `quota`: nothing is left of a quota, for anybody. `request`: this request is too large for what is left of one, or for all
 * of it. `rate`: too many requests or tokens; whose they were is not said.
 */
export type LimitCause = 'quota' | 'request' | 'rate';

/** OpenAI's "Request too large for …", Groq's, and what Anthropic says of prompts beyond the usual context. */
const tooLargeAlone = /too large|long[- ]context|1m context/i;
/** OpenAI and Groq: "Limit 30000, Requested 31538". */
const limitAndRequested = /limit:? (\d+),.*requested:? (\d+)/is;
/** Anthropic: "This request would exceed … Please reduce the prompt length or the maximum tokens requested". */
const tooLargeNow = /would exceed|reduce (?:the|your) (?:prompt|message|input|length|max)/i;
/** OpenAI, where the account has nothing left to spend. */
const accountIsEmpty = /"(?:code|type)"\s*:\s*"insufficient_quota"/;

/** OpenAI, Azure, Groq: `x-ratelimit-remaining-requests`. Anthropic: `anthropic-ratelimit-input-tokens-remaining`. */
const remaining = /ratelimit.*remaining/;
const nothing = /^\s*0+(?:\.0+)?\s*$/;

/** `message` is what was found in the `body`. */
export function limitCauseOf(headers: Headers, { body, message }: { body: string; message: string }): LimitCause {
  if (tooLargeAlone.test(message) || isMoreThanAll(message)) return 'request';
  if (accountIsEmpty.test(body) || hasNothingLeft(headers)) return 'quota';
  return tooLargeNow.test(message) ? 'request' : 'rate';
}

function isMoreThanAll(message: string): boolean {
  const [, limit, requested] = limitAndRequested.exec(message) ?? [];
  return limit !== undefined && Number(requested) > Number(limit);
}

function hasNothingLeft(headers: Headers): boolean {
  for (const [name, value] of headers) if (remaining.test(name) && nothing.test(value)) return true;
  return false;
}
