/** One HTTP request to a provider, until its headers. */
import type { UpstreamRequest } from '../adapters/adapter.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import { UpstreamFailure } from './upstream-failure.ts';

export interface FetchedAnswer {
  readonly response: Response;
  /** Breaks the connection off, whatever is still to come on it. */
  close(): void;
}

/** Throws UpstreamFailure `unreachable`, or `timeout` where no headers came in time. */
export async function fetchAnswer(
  upstream: UpstreamRequest & { readonly ca?: string | undefined },
  headersTimeoutMs: number,
  running: RunningRequest,
): Promise<FetchedAnswer> {
  const { signal } = running.abort;
  const attempt = new AbortController();
  signal.addEventListener('abort', () => attempt.abort(signal.reason), { once: true });
  // Bun has no time limit for connecting alone; an address that swallows everything is found out here.
  const timer = setTimeout(() => attempt.abort('headers_timeout'), headersTimeoutMs);
  try {
    const response = await fetch(upstream.url, {
      method: 'POST',
      headers: upstream.headers,
      body: upstream.body,
      signal: attempt.signal,
      redirect: 'manual',
      timeout: false,
      ...(upstream.ca === undefined ? {} : { tls: { ca: upstream.ca } }),
    });
    return { response, close: () => attempt.abort() };
  } catch (cause) {
    if (attempt.signal.reason === 'headers_timeout') {
      throw new UpstreamFailure('timeout', 'The provider did not answer in time.', { cause });
    }
    throw new UpstreamFailure('unreachable', 'The provider could not be reached.', { cause });
  } finally {
    clearTimeout(timer);
  }
}
