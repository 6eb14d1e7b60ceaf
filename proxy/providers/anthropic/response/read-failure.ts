/** Errors, as a response or inside a stream: `{"type": "error", "error": {"type", "message"}}`. */
import { isObject } from '../../../../shared/members.ts';
import { asRecord, asText } from '../../../nouns/json/record.ts';
import { blameFor, UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import type { ProviderFailure } from '../../adapter.ts';

/** The status that an error has as a response: https://platform.claude.com/docs/en/api/errors */
const statuses: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);
const ourFaults: ReadonlySet<unknown> = new Set(['authentication_error', 'permission_error', 'billing_error']);

export function readFailure(body: string): ProviderFailure {
  const value = parse(body);
  const error = isObject(value) && 'error' in value ? value.error : value;
  return { message: messageOf(error), refusesGateway: refusesGateway(error) };
}

/** `error` is the inner object of an error that arrives with status 200. */
export function failureInside(error: unknown): UpstreamFailure {
  const message = messageOf(error) ?? 'The provider reported an error.';
  if (refusesGateway(error) || asRecord(error).type === 'not_found_error') {
    return new UpstreamFailure('refused', "The provider refused the gateway's request.", { cause: message });
  }
  const status = statuses.get(asText(asRecord(error).type) ?? '');
  if (status === undefined) return new UpstreamFailure('refused', message);
  const isOfClient = blameFor(status, message) === 'client';
  return new UpstreamFailure(isOfClient ? 'rejected' : 'refused', message, { status, isTooLong: status === 413 });
}

/** What is wrong with our account is reported with status 400, as if the request were wrong. */
const ofOurAccount = /credit balance is too low|your specified api usage limits|organization has been disabled/i;

function refusesGateway(error: unknown): boolean {
  return ourFaults.has(asRecord(error).type) || ofOurAccount.test(messageOf(error) ?? '');
}

function messageOf(error: unknown): string | undefined {
  return asText(error) ?? asText(asRecord(error).message) ?? asText(asRecord(error).type);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
