/**
 * Limits JSON inside strings of a body, which some providers' protocols need as values: the arguments of tool calls and
 * the results of tools. The limits of the body apply to all of it together.
 */
import { JsonScanner, jsonLimits } from '../../../../shared/http/intake/json-scanner.ts';
import type { ChatMessage } from '../../../nouns/requests/chat-request.ts';

/** Throws GatewayError `body_too_complex`. */
export function boundNestedJson(messages: readonly ChatMessage[]): void {
  if (!messages.some(mayHaveJson)) return;
  let scanner: JsonScanner | undefined;
  const scan = (text: string | null | undefined) => {
    if (!text) return;
    scanner ??= new JsonScanner(jsonLimits);
    scanner.begin();
    scanner.push(text);
  };
  for (const { role, content, tool_calls: calls } of messages) {
    if (calls) for (const call of calls) scan(call.function?.arguments);
    if (!isOfTool(role)) continue;
    if (Array.isArray(content)) for (const part of content) scan(part.text);
    else scan(content);
  }
}

function mayHaveJson({ role, tool_calls: calls }: ChatMessage): boolean {
  return isOfTool(role) || (calls ?? null) !== null;
}

function isOfTool(role: string): boolean {
  return role === 'tool' || role === 'function';
}
