/** The changes that a provider's quirks make to the messages of a chat request. */
import { createHash } from 'node:crypto';
import type { Quirks } from '../../../../shared/catalogue/published-catalogue.ts';
import { isObject } from '../../../../shared/members.ts';
import { asArray, asText, type JsonRecord } from '../../../nouns/json/record.ts';

/** JSON text, or undefined if the messages stay unchanged. */
export function changedMessages(messages: unknown, quirks: Quirks): string | undefined {
  const { developerRole, toolCallIds, reasoningContent = 'always' } = quirks;
  if (developerRole !== 'system' && toolCallIds === undefined && reasoningContent === 'always') return undefined;
  let changed = false;
  const next = asArray(messages).map((message) => {
    if (!isObject(message)) return message;
    const edits = {
      ...(developerRole === 'system' && message.role === 'developer' && { role: 'system' }),
      ...reasoningEdit(message, reasoningContent),
      ...(toolCallIds !== undefined && translatedIds(message)),
    };
    if (Object.keys(edits).length === 0) return message;
    changed = true;
    return { ...message, ...edits };
  });
  return changed ? JSON.stringify(next) : undefined;
}

function reasoningEdit(message: JsonRecord, reasoningContent: Quirks['reasoningContent']): JsonRecord {
  const { reasoning_content: reasoning, tool_calls: calls } = message;
  if (reasoningContent === 'never' && reasoning !== undefined) return { reasoning_content: undefined };
  const isLost = reasoningContent === 'required' && asArray(calls).length > 0 && typeof reasoning !== 'string';
  return isLost ? { reasoning_content: '' } : {};
}

/** The new id depends only on the old one, so a call and its result still match. */
function translatedIds(message: JsonRecord): JsonRecord {
  const result = asText(message.tool_call_id);
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : undefined;
  return {
    ...(result !== undefined && { tool_call_id: alphanumericId(result) }),
    ...(calls !== undefined && {
      tool_calls: calls.map((call) => {
        const id = isObject(call) ? asText(call.id) : undefined;
        return id === undefined ? call : { ...call, id: alphanumericId(id) };
      }),
    }),
  };
}

const idLength = 9;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const wellFormed = /^[0-9A-Za-z]{9}$/;

/**
 * For providers that only accept 9 letters and digits, such as Mistral. A valid id is kept; any other always maps to
 * the same id. Two ids collide with a probability of 1 in 62^9.
 */
function alphanumericId(id: string): string {
  if (wellFormed.test(id)) return id;
  let number = createHash('sha256').update(id).digest().readBigUInt64BE();
  let text = '';
  for (let place = 0; place < idLength; place += 1) {
    text += alphabet.charAt(Number(number % BigInt(alphabet.length)));
    number /= BigInt(alphabet.length);
  }
  return text;
}
