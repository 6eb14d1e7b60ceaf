/**
 * What an error body says, in any of the shapes that are known: OpenAI's `{error: {message}}`; `{message}` at the top
 * (Mistral, older vLLM); FastAPI's `{detail}`, a text or a list of `{msg, loc}`; `{errors: [{message}]}`; a plain
 * text under `error`; Google's list of one.
 */
import { asArray, asText, isRecord } from '../../json/record.ts';

const depthMax = 5;
const messageMaxCharacters = 1_000;
const names = ['error', 'message', 'detail', 'errors', 'error_message', 'error_description', 'msg'] as const;

/** Undefined where nothing is said. */
export function readFailureMessage(body: string): string | undefined {
  try {
    return failureMessageOf(JSON.parse(body));
  } catch {
    return undefined;
  }
}

export function failureMessageOf(value: unknown): string | undefined {
  return find(value, depthMax)?.slice(0, messageMaxCharacters);
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
