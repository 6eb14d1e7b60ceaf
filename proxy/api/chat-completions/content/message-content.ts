/**
 * Refuses messages without content: a provider would refuse them, or respond and bill. OpenAI's reference
 * (https://platform.openai.com/docs/api-reference/chat/create) says which roles need content.
 */
import { missingParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ChatContentPart, ChatMessage } from '../../../nouns/requests/chat-request.ts';

/** Parts of these types have their content in the member of the same name. */
const partTypes: ReadonlySet<string> = new Set(['text', 'image_url', 'input_audio', 'file', 'refusal']);

/** Throws GatewayError `missing_parameter`. */
export function checkContent(messages: readonly ChatMessage[]): void {
  let index = -1;
  for (const message of messages) {
    index += 1;
    const { role, content } = message;
    if (Array.isArray(content)) checkParts(content, index);
    if (hasContent(content) || role === 'function') continue;
    if (role !== 'assistant') throw missingParameter(`messages[${index}].content`);
    if (hasOtherContent(message)) continue;
    throw missingParameter(`messages[${index}].content`, 'An assistant message needs content or tool calls.');
  }
}

/** The empty string is content: a tool or a model may return nothing. */
function hasContent(content: ChatMessage['content']): boolean {
  return Array.isArray(content) ? content.length > 0 : typeof content === 'string';
}

function hasOtherContent(message: ChatMessage & { readonly function_call?: unknown }): boolean {
  const { tool_calls: calls, refusal, function_call: called } = message;
  return (calls?.length ?? 0) > 0 || typeof refusal === 'string' || (called ?? null) !== null;
}

function checkParts(parts: readonly ChatContentPart[], index: number): void {
  let position = -1;
  for (const part of parts) {
    position += 1;
    const { type } = part;
    if (!partTypes.has(type) || (part[type as keyof ChatContentPart] ?? null) !== null) continue;
    throw missingParameter(`messages[${index}].content[${position}].${type}`);
  }
}
