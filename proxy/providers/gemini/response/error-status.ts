/**
 * An error of a Google API: https://cloud.google.com/apis/design/errors. It is an object, an array with one object if a
 * stream was requested, or an event of a stream.
 */
import { isObject } from '../../../../shared/members.ts';
import { asArray, asRecord, asText, type JsonRecord } from '../../../nouns/json/record.ts';
import { blameFor, UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import { readCount } from '../../../nouns/usage.ts';

export interface ErrorStatus {
  readonly message: string | undefined;
  /** The status that it has as a response, or would have. */
  readonly status: number | undefined;
  /** From `google.rpc.RetryInfo`. */
  readonly retryAfterMs: number | undefined;
  /** An invalid key and an unsupported country are reported as 400. */
  readonly refusesGateway: boolean;
}

/** Undefined if the value is not an error. */
export function readErrorStatus(value: unknown): ErrorStatus | undefined {
  if (Array.isArray(value)) return value.map(readErrorStatus).find((status) => status !== undefined);
  if (!isObject(value) || value.error === undefined || value.error === null) return undefined;
  const { error } = value;
  if (!isObject(error))
    return { message: asText(error), status: undefined, retryAfterMs: undefined, refusesGateway: false };
  const message = asText(error.message) ?? asText(error.status);
  const status = readCount(error.code);
  return { message, status, retryAfterMs: retryAfterOf(error), refusesGateway: blamesGateway(error) };
}

/** Of an error that arrives with status 200. */
export function failureInside({
  message = reported,
  status,
  retryAfterMs,
  refusesGateway,
}: ErrorStatus): UpstreamFailure {
  const blame = refusesGateway ? 'operator' : blameFor(status ?? Number.NaN, message);
  if (blame === 'operator') {
    return new UpstreamFailure('refused', "The provider refused the gateway's request.", { cause: message });
  }
  const options = { retryAfterMs, ...(status !== undefined && { status }) };
  return new UpstreamFailure(blame === 'client' ? 'rejected' : 'refused', message, options);
}

const reported = 'The provider reported an error.';

function blamesGateway({ status, message, details }: JsonRecord): boolean {
  const hasBadKey = asArray(details).some((detail) => asText(asRecord(detail).reason)?.startsWith('API_KEY_'));
  return hasBadKey || (status === 'FAILED_PRECONDITION' && /\b(?:location|billing)\b/i.test(asText(message) ?? ''));
}

function retryAfterOf(error: JsonRecord): number | undefined {
  const info = asArray(error.details)
    .filter(isObject)
    .find((detail) => asText(detail['@type'])?.endsWith('google.rpc.RetryInfo'));
  return readDuration(info?.retryDelay);
}

/** A `google.protobuf.Duration` as JSON: `34.4s`. */
function readDuration(value: unknown): number | undefined {
  const [, seconds] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(typeof value === 'string' ? value : '') ?? [];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}
