/**
 * POST /v1/chat/completions, in the forms that clients send to it. Cursor posts requests of the Responses API here, or chat
 * completion requests with some tools in that form or in Anthropic's, and reads chat completions
 * (https://forum.cursor.com/t/153019). All others post chat completion requests.
 */
import type { ChatCall } from '../../nouns/call.ts';
import type { JsonRecord } from '../../nouns/json/record.ts';
import { readChatCompletion } from '../chat-completions/chat-completions.ts';
import { isAnthropicTool, readAnthropicTools } from './anthropic-tools.ts';
import { isFlat, readFlatTools } from './flat-tools.ts';
import { readResponsesForm } from './responses-form.ts';

/** Throws GatewayError `missing_parameter`, `invalid_parameter` or `unsupported_parameter`. */
export function readAnyChat(value: object, text: string): ChatCall {
  const { input, messages, tools } = value as JsonRecord;
  if ((input ?? null) !== null && isNone(messages)) return readResponsesForm(value as JsonRecord, text);
  if (!Array.isArray(tools)) return readChatCompletion(value, text);
  if (tools.some(isAnthropicTool)) return readAnthropicTools(value as JsonRecord, tools, text);
  return tools.some(isFlat) ? readFlatTools(value as JsonRecord, tools, text) : readChatCompletion(value, text);
}

function isNone(messages: unknown): boolean {
  return (messages ?? null) === null || (Array.isArray(messages) && messages.length === 0);
}
