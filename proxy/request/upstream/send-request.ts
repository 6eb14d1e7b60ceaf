/** Sends one HTTP request to a provider, and waits for the response headers. */
import { monotonicMs } from '../../../shared/durations.ts';
import type { HttpResponse } from '../../nouns/http-response.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import type { UpstreamRequest } from '../../providers/adapter.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import type { ProviderClient } from './provider-client.ts';

/** Throws UpstreamFailure `unreachable`, or `timeout` if no headers arrive in time. */
export async function sendRequest(
  client: Pick<ProviderClient, 'post'>,
  request: UpstreamRequest,
  { ca, headersTimeoutMs, running }: { ca: string | undefined; headersTimeoutMs: number; running: RunningRequest },
): Promise<HttpResponse> {
  const signal = running.abort.beginAttempt();
  // This also covers addresses that never respond.
  running.headersDueAtMs = monotonicMs() + headersTimeoutMs;
  try {
    return await client.post(request, { ca, signal });
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
