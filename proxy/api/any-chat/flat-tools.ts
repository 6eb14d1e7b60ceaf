/** A chat completion request some of whose tools have the form of the Responses API: their name is beside their type. */
import { checkValue } from '../../../shared/http/check-value.ts';
import { isObject } from '../../../shared/members.ts';
import type { ChatCall } from '../../nouns/call.ts';
import { asRecord, asText, type JsonRecord } from '../../nouns/json/record.ts';
import { readChatCompletion } from '../chat-completions/chat-completions.ts';
import { customTool, functionTool } from '../responses/request/tool-schemas.ts';
import { chatTool, customInputName } from '../responses/request/toolbox.ts';

/** In a chat completion, the tool's name is in a member of its own, named as its type. */
export function isFlat(tool: unknown): boolean {
  if (!isObject(tool) || typeof tool.name !== 'string') return false;
  return (tool.type === 'function' && !tool.function) || (tool.type === 'custom' && !tool.custom);
}

/** Throws GatewayError. */
export function readFlatTools(value: JsonRecord, tools: readonly unknown[], text: string): ChatCall {
  const textTools = new Set(tools.filter((tool) => isFlat(tool) && asRecord(tool).type === 'custom').map(nameOf));
  const nested = {
    ...value,
    tools: tools.map((tool, index) => (isFlat(tool) ? nestedTool(tool, `tools[${index}]`) : tool)),
    ...(isFlat(value.tool_choice) && {
      tool_choice: { type: 'function', function: { name: nameOf(value.tool_choice) } },
    }),
    ...(Array.isArray(value.messages) && {
      messages: value.messages.map((message) => withJsonArguments(message, textTools)),
    }),
  };
  const translated = JSON.stringify(nested);
  const call = readChatCompletion(nested, translated);
  const bytes = Math.max(call.bytes, Buffer.byteLength(text));
  return { ...call, bytes, ...(textTools.size > 0 && { textTools: [...textTools] }) };
}

function nameOf(tool: unknown): string {
  return asText(asRecord(tool).name) ?? '';
}

function nestedTool(tool: unknown, at: string): object {
  const isCustom = asRecord(tool).type === 'custom';
  const { name } = asRecord(tool);
  return chatTool(checkValue(isCustom ? customTool : functionTool, tool, at), asText(name) ?? '');
}

/**
 * Arguments of earlier calls come back as they were returned: as the text alone. Providers expect them as JSON. They also refuse the
 * empty list that Cursor sends beside calls (https://github.com/archestra-ai/archestra/pull/7375).
 */
function withJsonArguments(message: unknown, textTools: ReadonlySet<string>): unknown {
  if (!isObject(message) || !Array.isArray(message.tool_calls)) return message;
  const calls = message.tool_calls.map((call: unknown) => {
    const called = asRecord(asRecord(call).function);
    if (typeof called.arguments !== 'string' || !textTools.has(String(called.name))) return call;
    const input = JSON.stringify({ [customInputName]: called.arguments });
    return { ...asRecord(call), function: { ...called, arguments: input } };
  });
  const { content } = message;
  return { ...message, content: Array.isArray(content) && content.length === 0 ? null : content, tool_calls: calls };
}
