/**
 * Parses a provider's response, or a chunk of it, or the failure that it reports. Some providers report failures with
 * status 200, in a body or in the middle of a stream.
 */
import { isObject } from '../../../../shared/members.ts';
import { asRecord, type JsonRecord } from '../../../nouns/json/record.ts';
import { blameFor, UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { failureMessageOf, lacksModel, refusesGateway } from './failure-message.ts';

/** Throws UpstreamFailure if the text is not an object, or reports a failure. */
export function readResponseObject(text: string): JsonRecord {
  const value = parse(text);
  if (!isObject(value)) throw new UpstreamFailure('malformed', 'The provider returned an unreadable response.');
  if ((value.error ?? false) !== false) throw reportedFailure(value.error);
  // Mistral and older vLLM have no envelope.
  if (value.object === 'error') throw reportedFailure(value);
  return value;
}

/** The status that OpenAI's errors inside a stream have as a response. */
const statusesOfCodes: ReadonlyMap<unknown, number> = new Map([
  ...(['context_length_exceeded', 'invalid_prompt'] as const).map((code) => [code, 400] as const),
  ...(['rate_limit_exceeded', 'insufficient_quota'] as const).map((code) => [code, 429] as const),
]);

/** OpenRouter has the actual status in `code`, Groq in `status_code`. */
export function reportedFailure(error: unknown): UpstreamFailure {
  const message = failureMessageOf(error);
  const { code, status_code: statusCode } = asRecord(error);
  const status = statusesOfCodes.get(code) ?? statusOf(statusCode ?? code);
  const blame = lacksModel(error) || refusesGateway(error) ? 'operator' : blameFor(status, message);
  if (blame === 'operator') {
    return new UpstreamFailure('refused', "The provider refused the gateway's request.", { cause: message });
  }
  const isTooLong = code === 'context_length_exceeded';
  if (blame === 'client') return new UpstreamFailure('rejected', message ?? reported, { isTooLong });
  const limit =
    code === 'insufficient_quota' ? ({ status, limit: 'quota' } as const) : status === 429 ? { status } : {};
  return new UpstreamFailure('refused', message ?? reported, limit);
}

const reported = 'The provider reported an error.';

/** Some have it as text. NaN for a name, as OpenAI's codes are. */
function statusOf(code: unknown): number {
  return typeof code === 'string' || typeof code === 'number' ? Number(code) : Number.NaN;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UpstreamFailure('malformed', 'The provider returned a response that is not JSON.', { cause });
  }
}
