/**
 * Finds the message of an error body, in any known shape: OpenAI's `{error: {message}}`; a top-level `{message}`
 * (Mistral, older vLLM); FastAPI's `{detail}`, a string or a list of `{msg, loc}`; `{errors: [{message}]}`; a string
 * `error`; Google's array with one error.
 */
import { isObject } from '../../../../shared/members.ts';
import { asArray, asRecord, asText } from '../../../nouns/json/record.ts';
import { blameFor } from '../../../nouns/upstream-failure.ts';
import type { ProviderFailure } from '../../adapter.ts';

const depthMax = 5;
const messageMaxCharacters = 1_000;
const names = ['error', 'message', 'detail', 'errors', 'error_message', 'error_description', 'msg'] as const;

export function readFailure(body: string): ProviderFailure {
  const value = parse(body);
  const error = isObject(value) ? (value.error ?? value) : value;
  return { message: failureMessageOf(value), lacksModel: lacksModel(error), refusesGateway: refusesGateway(error) };
}

const ourFaults: ReadonlySet<unknown> = new Set([
  ...['billing_hard_limit_reached', 'billing_not_active', 'invalid_api_key', 'account_deactivated'],
]);

/** What is wrong with our key or account, which some report with status 400, as if the request were wrong. */
export function refusesGateway(error: unknown): boolean {
  const { code, type } = asRecord(error);
  return ourFaults.has(code) || ourFaults.has(type) || /incorrect api key/i.test(failureMessageOf(error) ?? '');
}

/**
 * Whether the provider does not have the model that the catalogue names. Some report this with status 400 and OpenAI's
 * code or Mistral's type, or with status 200 and the actual status inside.
 */
export function lacksModel(error: unknown): boolean {
  const { code, type, status_code: statusCode } = asRecord(error);
  if (code === 'model_not_found' || type === 'invalid_model') return true;
  return isNotFound(statusCode ?? code) && blameFor(404, failureMessageOf(error)) === 'operator';
}

/** As a number or as text. */
function isNotFound(status: unknown): boolean {
  return status === 404 || status === '404';
}

/** Undefined if there is no message. */
export function failureMessageOf(value: unknown): string | undefined {
  return find(value, depthMax)?.slice(0, messageMaxCharacters);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function find(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return asText(value.trim());
  if (depth === 0) return undefined;
  if (Array.isArray(value)) {
    const messages = value.map((item) => find(item, depth - 1)).filter((message) => message !== undefined);
    return asText(messages.join('; '));
  }
  if (!isObject(value)) return undefined;
  for (const name of names) {
    const message = find(value[name], depth - 1);
    if (message !== undefined) return name === 'msg' ? withPath(message, value.loc) : message;
  }
  return undefined;
}

/** FastAPI has the path of the parameter at fault separately: `["body", "messages", 0]`. */
function withPath(message: string, location: unknown): string {
  const path = asArray(location)
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join('.');
  return path === '' ? message : `${path}: ${message}`;
}
