/**
 * Bedrock's errors, as a response or as a frame of a stream. They are identified by name, because several statuses mean
 * something other than usual: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
import type { ResponseHeaders } from '../../../nouns/http-response.ts';
import { asRecord, asText } from '../../../nouns/json/record.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import type { ProviderFailure } from '../../adapter.ts';

/** Errors about our key, signature or account. */
const ourFaults: ReadonlySet<string> = new Set([
  'accessdenied',
  'expiredtoken',
  'incompletesignature',
  'invalidclienttokenid',
  'invalidsignature',
  'missingauthenticationtoken',
  'optinrequired',
  'unrecognizedclient',
]);

/** The meaning of each error; the status of the response may differ. */
const statuses: ReadonlyMap<string, number> = new Map([
  ['internalfailure', 500],
  ['internalserver', 500],
  // The model failed, which the API reports as 424, or is still loading, reported as 429.
  ['modelerror', 500],
  ['modelnotready', 503],
  ['modelstreamerror', 500],
  ['modeltimeout', 408],
  ['servicequotaexceeded', 429],
  ['serviceunavailable', 503],
  ['throttling', 429],
  ['validation', 400],
]);

/** Reported as errors of the request, but caused by the catalogue or our account. */
const unknownModel = /model identifier is invalid|on-demand throughput|model version has reached the end/i;
const noAccess = /^operation not allowed$/i;

export function readFailure(body: string, headers: ResponseHeaders): ProviderFailure {
  const value = asRecord(parse(body));
  const type = asText(headers.get('x-amzn-errortype')) ?? asText(value.__type) ?? '';
  return classify(type, messageIn(value));
}

/** `type` is a name such as `throttlingException`; `payload` is the parsed JSON of the frame. */
export function failureInside(type: string, payload: unknown): UpstreamFailure {
  const failure = classify(type, messageIn(asRecord(payload)));
  const { message = 'The provider reported an error.', status } = failure;
  if (failure.refusesGateway || failure.lacksModel) {
    return new UpstreamFailure('refused', "The provider refused the gateway's request.", { cause: message });
  }
  if (status === 400) return new UpstreamFailure('rejected', message, { status });
  return new UpstreamFailure('refused', message, status === undefined ? {} : { status });
}

function classify(type: string, message: string | undefined): ProviderFailure {
  const name = nameOf(type);
  return {
    message,
    refusesGateway: ourFaults.has(name) || noAccess.test(message ?? ''),
    lacksModel: name === 'resourcenotfound' || unknownModel.test(message ?? ''),
    status: statuses.get(name),
  };
}

/** `ThrottlingException:http://internal.amazon.com/…`, `com.amazon.coral#ThrottlingException` → `throttling`. */
function nameOf(type: string): string {
  const [named = ''] = type.split(':');
  return named
    .replace(/^.*#/, '')
    .trim()
    .toLowerCase()
    .replace(/(?:exception|error)$/, '');
}

function messageIn(value: Readonly<Record<string, unknown>>): string | undefined {
  return asText(value.message) ?? asText(value.Message) ?? asText(value.originalMessage);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
