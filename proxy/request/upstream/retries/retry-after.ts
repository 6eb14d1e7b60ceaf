/** When to retry, according to a provider's headers. */
import type { ResponseHeaders } from '../../../nouns/http-response.ts';

/**
 * Milliseconds from now, or undefined if the headers do not say. `retry-after` is a number of seconds or a date
 * (RFC 9110 §10.2.3). OpenAI's and Azure's `retry-after-ms` is more precise, and takes precedence.
 */
export function readRetryAfter(headers: ResponseHeaders, nowMs: number): number | undefined {
  const inMs = readNumber(headers.get('retry-after-ms'));
  if (inMs !== undefined) return inMs;
  const text = headers.get('retry-after');
  const seconds = readNumber(text);
  if (seconds !== undefined) return seconds * 1_000;
  // `Date.parse` alone would read a stray number as a year.
  const atMs = text !== null && /\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

function readNumber(text: string | null): number | undefined {
  return text !== null && /^\s*\d{1,12}(\.\d{1,6})?\s*$/.test(text) ? Number(text) : undefined;
}
