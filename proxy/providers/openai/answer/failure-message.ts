/**
 * What an error body says, in any of the shapes that are known: OpenAI's `{error: {message}}`; `{message}` at the top
 * (Mistral, older vLLM); FastAPI's `{detail}`, a text or a list of `{msg, loc}`; `{errors: [{message}]}`; a plain
 * text under `error`; Google's list of one.
 */
import { asArray, asRecord, asText, isRecord } from '../../../json/record.ts';
import { blameFor } from '../../../upstream/blame.ts';
import type { ProviderFailure } from '../../adapter.ts';

const depthMax = 5;
const messageMaxCharacters = 1_000;
const names = ['error', 'message', 'detail', 'errors', 'error_message', 'error_description', 'msg'] as const;

export function readFailure(body: string): ProviderFailure {
  const value = parse(body);
  return { message: failureMessageOf(value), lacksModel: lacksModel(isRecord(value) ? (value.error ?? value) : value) };
}

/**
 * The provider does not have the model that the catalogue names. Some say so with status 400 and OpenAI's code or
 * Mistral's type, or with status 200 and the other one inside.
 */
export function lacksModel(error: unknown): boolean {
  const { code, type, status_code: statusCode } = asRecord(error);
  if (code === 'model_not_found' || type === 'invalid_model') return true;
  return Number(statusCode ?? code) === 404 && blameFor(404, failureMessageOf(error)) === 'operator';
}

/** Undefined where nothing is said. */
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
  if (!isRecord(value)) return undefined;
  for (const name of names) {
    const message = find(value[name], depth - 1);
    if (message !== undefined) return name === 'msg' ? withPlace(message, value.loc) : message;
  }
  return undefined;
}

/** FastAPI says apart where the fault is: `["body", "messages", 0]`. */
function withPlace(message: string, place: unknown): string {
  const path = asArray(place).join('.');
  return path === '' ? message : `${path}: ${message}`;
}
