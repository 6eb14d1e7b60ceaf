/** The messages of a chat request, as far as a provider's quirks change them. */
import type { Quirks } from '../../../shared/catalogue/published-catalogue.ts';
import { asArray, asText, isRecord, type JsonRecord } from '../../json/record.ts';
import { alphanumericId } from './alphanumeric-id.ts';

/** JSON text, or undefined where the messages stay as they are. */
export function changedMessages(messages: unknown, quirks: Quirks): string | undefined {
  const { developerRole, toolCallIds, reasoningContent = 'always' } = quirks;
  if (developerRole !== 'system' && toolCallIds === undefined && reasoningContent === 'always') return undefined;
  const list = asArray(messages);
  const lastQuestion = list.findLastIndex((message) => isRecord(message) && message.role === 'user');
  let changed = false;
  const next = list.map((message, position) => {
    if (!isRecord(message)) return message;
    const forgetful = reasoningContent === 'never' || (reasoningContent === 'toolTurns' && position < lastQuestion);
    const edits = {
      ...(developerRole === 'system' && message.role === 'developer' && { role: 'system' }),
      ...(forgetful && message.reasoning_content !== undefined && { reasoning_content: undefined }),
      ...(toolCallIds !== undefined && translatedIds(message)),
    };
    if (Object.keys(edits).length === 0) return message;
    changed = true;
    return { ...message, ...edits };
  });
  return changed ? JSON.stringify(next) : undefined;
}

/** The id of a call and of its result are replaced by the same one, since it depends on nothing but the id. */
function translatedIds(message: JsonRecord): JsonRecord {
  const result = asText(message.tool_call_id);
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : undefined;
  return {
    ...(result !== undefined && { tool_call_id: alphanumericId(result) }),
    ...(calls !== undefined && {
      tool_calls: calls.map((call) => {
        const id = isRecord(call) ? asText(call.id) : undefined;
        return id === undefined ? call : { ...call, id: alphanumericId(id) };
      }),
    }),
  };
}
