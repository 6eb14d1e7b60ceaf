/** `x-ratelimit-*` headers: the tighter of the key's limits and its account's, as this request leaves them. */
import type { RateStatus, RateStatuses } from '../../../shared/wallet/key-limits.ts';

export function setRateHeaders(headers: Headers, { requests, tokens }: RateStatuses): void {
  if (requests !== undefined) setRate(headers, 'requests', requests);
  if (tokens !== undefined) setRate(headers, 'tokens', tokens);
}

/** The reset is a duration such as `59.2s`, as OpenAI writes it. */
function setRate(headers: Headers, of: 'requests' | 'tokens', { limit, remaining, resetMs }: RateStatus): void {
  headers.set(`x-ratelimit-limit-${of}`, String(limit));
  headers.set(`x-ratelimit-remaining-${of}`, String(remaining));
  headers.set(`x-ratelimit-reset-${of}`, `${resetMs / 1_000}s`);
}
