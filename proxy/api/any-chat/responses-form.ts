/** A request of the Responses API whose client reads a chat completion. */
import { isObject } from '../../../shared/members.ts';
import type { ChatCall } from '../../nouns/call.ts';
import { asArray, asRecord, asText, type JsonRecord } from '../../nouns/json/record.ts';
import { readResponses } from '../responses/responses.ts';

/** Throws GatewayError. */
export function readResponsesForm(value: JsonRecord, text: string): ChatCall {
  const { messages: _none, ...request } = value;
  const tools = Array.isArray(value.tools) ? value.tools.map(flattened) : value.tools;
  const textTools = new Set(
    asArray(tools)
      .filter(isCustom)
      .map((tool) => asText(asRecord(tool).name) ?? ''),
  );
  const input = Array.isArray(value.input) ? value.input.map((item) => asCustomCall(item, textTools)) : value.input;
  const translated = { ...request, input, ...(tools !== undefined && { tools }) };
  const { settings, webSearch, keepsOrder: _, ...call } = readResponses(translated, text);
  const { metadata } = settings.request;
  return {
    ...call,
    // A chat completion shows the citations alone.
    ...(webSearch !== undefined && { webSearch: { ...webSearch, showsResults: false } }),
    includeUsage: asRecord(value.stream_options).include_usage === true,
    ...(textTools.size > 0 && { textTools: [...textTools] }),
    ...(metadata && { metadata }),
  };
}

/** Some of the tools may have the form of chat completions. */
function flattened(tool: unknown): unknown {
  if (!isObject(tool) || tool.type !== 'function' || !isObject(tool.function)) return tool;
  return { type: tool.type, ...tool.function };
}

function isCustom(tool: unknown): boolean {
  return asRecord(tool).type === 'custom';
}

/** Earlier calls come back as they were returned: as calls of functions, with the text alone as arguments. */
function asCustomCall(item: unknown, textTools: ReadonlySet<string>): unknown {
  const { type, name, arguments: input, ...rest } = asRecord(item);
  if (type !== 'function_call' || !textTools.has(asText(name) ?? '')) return item;
  return { ...rest, type: 'custom_tool_call', name, input };
}
