/**
 * A provider's answer, or a chunk of it, as an object: what the text says, or the failure that it reports. Some
 * providers report failures with status 200, in a body or in the middle of a stream.
 */
import { asRecord, isRecord, type JsonRecord } from '../../json/record.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';
import { failureMessageOf } from './failure-message.ts';

/** Throws UpstreamFailure where the text is no object, or reports a failure. */
export function readAnswerObject(text: string): JsonRecord {
  const value = parse(text);
  if (!isRecord(value)) throw new UpstreamFailure('malformed', 'The provider answered something unreadable.');
  if (value.error !== undefined && value.error !== null) throw reportedFailure(value.error);
  return value;
}

const clientFaults: ReadonlySet<unknown> = new Set([400, 404, 413, 422]);
/** They speak of our key or our account at the provider, which is no business of the customer's. */
const ourFaults: ReadonlySet<unknown> = new Set([401, 402, 403]);

/** OpenRouter says as `code` what would have been the status. */
export function reportedFailure(error: unknown): UpstreamFailure {
  const message = failureMessageOf(error);
  const { code } = asRecord(error);
  if (ourFaults.has(code))
    return new UpstreamFailure('refused', 'The provider refused the gateway.', { cause: message });
  return new UpstreamFailure(
    clientFaults.has(code) ? 'rejected' : 'refused',
    message ?? 'The provider reported an error.',
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UpstreamFailure('malformed', 'The provider answered something that is not JSON.', { cause });
  }
}
