/** `x-ratelimit-*` headers: the tighter of the key's limits and its account's, as this request leaves them. */
import { rateWindows } from '../../../shared/limits/rate-limits.ts';
import type { RateStatus, RateStatuses } from '../../../shared/wallet/key-limits.ts';

export function setRateHeaders(headers: Headers, rates: RateStatuses): void {
  for (const { inHeaders, inScripts, counts } of rateWindows) {
    const status = rates[inScripts];
    if (inHeaders && status !== undefined) setRate(headers, counts, status);
  }
}

/** The reset is a duration such as `59.2s`, as OpenAI writes it. */
function setRate(headers: Headers, of: string, { limit, remaining, resetMs }: RateStatus): void {
  headers.set(`x-ratelimit-limit-${of}`, String(limit));
  headers.set(`x-ratelimit-remaining-${of}`, String(remaining));
  headers.set(`x-ratelimit-reset-${of}`, `${resetMs / 1_000}s`);
}
