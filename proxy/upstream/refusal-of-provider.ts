/** What an answer of a provider means that is no answer to the request. */
import type { Adapter } from '../adapters/adapter.ts';
import { errorBodyMaxBytes } from './limits.ts';
import { limitCauseOf } from './rate-limit.ts';
import { readText } from './read-text.ts';
import { readRetryAfter } from './retry-after.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** Statuses of a provider that mean that the request itself is at fault. */
const clientFaults: ReadonlySet<number> = new Set([400, 404, 413, 422]);
/** Statuses that speak of our key or our account at the provider. */
const ourFaults: ReadonlySet<number> = new Set([401, 402, 403]);

export async function refusalOfProvider(response: Response, adapter: Adapter): Promise<UpstreamFailure> {
  const body = await readText(response, { maxBytes: errorBodyMaxBytes }).catch(() => '');
  const said = adapter.readFailure(body);
  const status = said.refusesGateway ? 401 : response.status;
  if (ourFaults.has(status)) {
    // What a provider says about our account with it is for the log, not for the customer.
    return new UpstreamFailure('refused', 'The provider refused the gateway.', { cause: said.message, status });
  }
  const message = said.message ?? `The provider answered with status ${status}.`;
  if (clientFaults.has(status)) return new UpstreamFailure('rejected', message, { status });
  const retryAfterMs = readRetryAfter(response.headers, Date.now()) ?? said.retryAfterMs;
  const limit = status === 429 ? limitCauseOf(response.headers, { body, message }) : undefined;
  return new UpstreamFailure('refused', message, { status, retryAfterMs, limit });
}

/** A stream was asked for, and something else has come with status 200. */
export async function refusalToStream(response: Response, adapter: Adapter): Promise<UpstreamFailure> {
  const said = adapter.readFailure(await readText(response, { maxBytes: errorBodyMaxBytes }).catch(() => ''));
  return new UpstreamFailure('malformed', said.message ?? 'The provider did not stream its answer.');
}
