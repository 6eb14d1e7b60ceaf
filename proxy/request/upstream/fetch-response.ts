/** Sends one HTTP request to a provider, and waits for the response headers. */
import { monotonicMs } from '../../../shared/durations.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import type { UpstreamRequest } from '../../providers/adapter.ts';
import type { RunningRequest } from '../settlement/running-request.ts';

/** Throws UpstreamFailure `unreachable`, or `timeout` if no headers arrive in time. */
export async function fetchResponse(
  { url, headers, body }: UpstreamRequest,
  { ca, headersTimeoutMs, running }: { ca: string | undefined; headersTimeoutMs: number; running: RunningRequest },
): Promise<Response> {
  const signal = running.abort.beginAttempt();
  // Bun has no connect timeout, so this also covers addresses that never respond.
  running.headersDueAtMs = monotonicMs() + headersTimeoutMs;
  try {
    const init: BunFetchRequestInit = { method: 'POST', headers, body, signal, redirect: 'manual', timeout: false };
    if (ca !== undefined) init.tls = { ca };
    return await fetch(url, init);
  } catch (cause) {
    if (signal.reason === 'headers_timeout') {
      throw new UpstreamFailure('timeout', 'The provider did not respond in time.', { cause });
    }
    throw unreachable(cause);
  } finally {
    running.headersDueAtMs = undefined;
  }
}

export function unreachable(cause?: unknown): UpstreamFailure {
  return new UpstreamFailure('unreachable', 'The provider could not be reached.', { cause });
}
