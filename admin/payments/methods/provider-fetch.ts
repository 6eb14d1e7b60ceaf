/** A bounded `fetch` for payment providers: a timeout, a size limit, no redirects, and one kind of failure. */
import { readLimited } from '../../http/read-limited.ts';
import { ProviderError } from './payment-method.ts';

const timeoutMs = 15_000;
/** The largest responses, lists of a hundred payments, have a few hundred kilobytes. */
const bodyMaxBytes = 2 * 1024 * 1024;

export interface BoundedResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** Throws ProviderError `unavailable`: whether the provider has acted is not known. */
export async function boundedFetch(
  provider: string,
  url: string | URL,
  options: RequestInit & { readonly timeoutMs?: number },
): Promise<BoundedResponse> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  try {
    const response = await fetch(url, { ...options, signal, redirect: 'error' });
    const body = await readLimited(response, { maxBytes: bodyMaxBytes, whose: `${provider}'s` });
    return { status: response.status, text: new TextDecoder().decode(body), headers: response.headers };
  } catch (cause) {
    throw new ProviderError('unavailable', `${provider} cannot be reached`, { cause });
  }
}
