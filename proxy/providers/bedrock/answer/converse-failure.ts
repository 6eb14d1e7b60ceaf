/**
 * Errors of Bedrock, as an answer or as a frame of a stream. They are told apart by their names, since several statuses
 * mean something else than elsewhere: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
import { asRecord, asText } from '../../../json/record.ts';
import { UpstreamFailure } from '../../../upstream/upstream-failure.ts';
import type { ProviderFailure } from '../../adapter.ts';

/** Of our key, our signature or our account. */
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

/** By what each means, wherever it comes: as an answer it may have another status. */
const statuses: ReadonlyMap<string, number> = new Map([
  ['internalfailure', 500],
  ['internalserver', 500],
  // The model has failed, which the API tells as 424, or is still being loaded, told as 429.
  ['modelerror', 500],
  ['modelnotready', 503],
  ['modelstreamerror', 500],
  ['modeltimeout', 408],
  ['servicequotaexceeded', 429],
  ['serviceunavailable', 503],
  ['throttling', 429],
  ['validation', 400],
]);

/** What is told as a fault of the request, and is one of the catalogue or of our account. */
const unknownModel = /model identifier is invalid|on-demand throughput|model version has reached the end/i;
const noAccess = /^operation not allowed$/i;

export function readFailure(body: string, headers: Headers): ProviderFailure {
  const value = asRecord(parse(body));
  const type = asText(headers.get('x-amzn-errortype')) ?? asText(value.__type) ?? '';
  return judge(type, messageIn(value));
}

/** `type` is such as `throttlingException`; `payload` is the JSON of the frame. */
export function failureInside(type: string, payload: unknown): UpstreamFailure {
  const said = judge(type, messageIn(asRecord(payload)));
  const { message = 'The provider reported an error.', status } = said;
  if (said.refusesGateway || said.lacksModel) {
    return new UpstreamFailure('refused', "The provider refused the gateway's request.", { cause: message });
  }
  if (status === 400) return new UpstreamFailure('rejected', message, { status });
  return new UpstreamFailure('refused', message, status === undefined ? {} : { status });
}

function judge(type: string, message: string | undefined): ProviderFailure {
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
