/** Turns a provider's error response into an UpstreamFailure. */
import type { HttpResponse } from '../../nouns/http-response.ts';
import { errorBodyMaxBytes } from '../../nouns/limits.ts';
import { readText } from '../../nouns/read-text.ts';
import { saysTooLong } from '../../nouns/says-too-long.ts';
import { blameFor, UpstreamFailure } from '../../nouns/upstream-failure.ts';
import type { Adapter } from '../../providers/adapter.ts';
import { limitCauseOf } from './retries/rate-limit.ts';
import { readRetryAfter } from './retries/retry-after.ts';

export async function refusalOfProvider(response: HttpResponse, adapter: Adapter): Promise<UpstreamFailure> {
  const body = await readText(response, { maxBytes: errorBodyMaxBytes }).catch(() => '');
  const reported = adapter.readFailure(body, response.headers);
  const status = reported.refusesGateway ? 401 : reported.lacksModel ? 404 : (reported.status ?? response.status);
  const blame = blameFor(status, reported.message);
  if (blame === 'operator') return refusalOfGateway(reported.message, status);
  const message = reported.message ?? `The provider returned status ${status}.`;
  if (blame === 'client') {
    return new UpstreamFailure('rejected', message, { status, isTooLong: status === 413 || saysTooLong(body) });
  }
  const retryAfterMs = readRetryAfter(response.headers, Date.now()) ?? reported.retryAfterMs;
  const limit = status === 429 ? limitCauseOf(response.headers, { body, message }) : undefined;
  return new UpstreamFailure('refused', message, { status, retryAfterMs, limit });
}

/** For a response with status 200 that should have been a stream and is not. */
export async function refusalToStream(response: HttpResponse, adapter: Adapter): Promise<UpstreamFailure> {
  const body = await readText(response, { maxBytes: errorBodyMaxBytes }).catch(() => '');
  const reported = adapter.readFailure(body, response.headers);
  if (reported.refusesGateway || reported.lacksModel) return refusalOfGateway(reported.message, response.status);
  return new UpstreamFailure('malformed', reported.message ?? 'The provider did not stream its response.');
}

/** A provider's message about our account or the catalogue goes to the log, not to the customer. */
function refusalOfGateway(reported: string | undefined, status: number): UpstreamFailure {
  return new UpstreamFailure('refused', "The provider refused the gateway's request.", { cause: reported, status });
}
