/**
 * A chat completion request whose tools, calls and results have the form of Anthropic's Messages API: Cursor sends it for models
 * whose names contain `claude` (https://github.com/router-for-me/CLIProxyAPI/issues/3805).
 */
import { isObject } from '../../../shared/members.ts';
import type { ChatCall } from '../../nouns/call.ts';
import { hasLongNumber, parseExact } from '../../nouns/json/parse-exact.ts';
import { asRecord, type JsonRecord } from '../../nouns/json/record.ts';
import { assistantMessage } from '../messages/request/assistant-turn.ts';
import { chatChoice, chatTool } from '../messages/request/read-tools.ts';
import { userMessages } from '../messages/request/user-turn.ts';
import { readFlatTools } from './flat-tools.ts';

/** It has no type; other APIs name their functions in one. */
export function isAnthropicTool(tool: unknown): boolean {
  return isObject(tool) && (tool.type ?? null) === null && typeof tool.name === 'string' && isObject(tool.input_schema);
}

/** Throws GatewayError. */
export function readAnthropicTools(value: JsonRecord, tools: readonly unknown[], text: string): ChatCall {
  // The inputs of calls are translated as values, and their numbers must keep every digit that the model wrote.
  const { messages } = hasLongNumber(text) ? asRecord(parseExact(text)) : value;
  const { tool_choice: choice } = value;
  const translated = {
    ...value,
    tools: tools.map((tool, index) => (isAnthropicTool(tool) ? chatTool(asRecord(tool), `tools[${index}]`) : tool)),
    ...(isObject(choice) && choice.type !== 'function' && { tool_choice: chatChoice(choice) }),
    messages: Array.isArray(messages) ? messages.flatMap(chatMessages) : messages,
  };
  return readFlatTools(translated, translated.tools, text);
}

function chatMessages(message: unknown, index: number): unknown[] {
  const { role, content } = asRecord(message);
  const at = `messages[${index}].content`;
  if (role === 'assistant' && hasBlock(content, 'tool_use')) return [assistantMessage(content, at)];
  if (role === 'user' && hasBlock(content, 'tool_result')) return userMessages(content, at);
  return [message];
}

function hasBlock(content: unknown, type: string): boolean {
  return Array.isArray(content) && content.some((block) => asRecord(block).type === type);
}
