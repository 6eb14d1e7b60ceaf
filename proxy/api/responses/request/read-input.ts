/** Translates the input of a Responses request to chat messages. Throws GatewayError that names the item at fault. */
import { checkValue } from '../../../../shared/http/check-value.ts';
import { invalidParameter, missingParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import { asArray, asRecord, asText } from '../../../nouns/json/record.ts';
import type { ChatMessage } from '../../../nouns/requests/chat-request.ts';
import { decodeThoughts, isOwnEncryption } from '../../../nouns/requests/encrypted-thoughts.ts';
import { type ResponsesRequest, typed } from '../../../nouns/requests/responses-request.ts';
import { Conversation } from './conversation.ts';
import {
  callOutputItem,
  customCallItem,
  functionCallItem,
  itemWithTools,
  messageItem,
  type ReasoningItemParam,
  reasoningItem,
  toolSearchCallItem,
} from './item-schemas.ts';
import { readAssistantContent, readContent } from './read-content.ts';
import { customInputName, type Toolbox } from './toolbox.ts';

/** An item of the input, and where it belongs. */
interface Reading {
  readonly item: unknown;
  /** The item's path in the body. */
  readonly at: string;
  readonly conversation: Conversation;
  readonly toolbox: Toolbox;
}

type ItemReader = (reading: Reading) => void;

const itemReaders: Readonly<Record<string, ItemReader>> = {
  message: readMessage,
  function_call: readFunctionCall,
  function_call_output: readCallOutput,
  custom_tool_call: readCustomCall,
  custom_tool_call_output: readCallOutput,
  tool_search_call: readToolSearchCall,
  tool_search_output: readToolSearchOutput,
  // Its tools have been read together with `tools`.
  additional_tools: () => undefined,
  reasoning: readReasoning,
  web_search_call: ({ conversation }) => conversation.addSearch(),
};

export function readInput({ instructions, input }: ResponsesRequest, toolbox: Toolbox): readonly ChatMessage[] {
  const conversation = new Conversation();
  // Not `developer`: every provider knows `system`.
  if (typeof instructions === 'string') conversation.add({ role: 'system', content: instructions });
  if (typeof input === 'string') conversation.add({ role: 'user', content: input });
  else for (const [index, item] of input.entries()) readItem({ item, at: `input[${index}]`, conversation, toolbox });
  const messages = conversation.messages();
  if (messages.length === 0) throw invalidParameter('input', 'a string or an array of at least one message');
  return messages;
}

function readItem(reading: Reading): void {
  const { item, at } = reading;
  const type = typeOfItem(item, at);
  const read = Object.hasOwn(itemReaders, type) ? itemReaders[type] : undefined;
  if (read === undefined) {
    const supported = Object.keys(itemReaders).join(', ');
    throw unsupportedParameter(
      `${at}.type`,
      `Items of type '${type}' are not supported. Supported types are ${supported}.`,
    );
  }
  read(reading);
}

/** A message may omit its type. */
function typeOfItem(item: unknown, at: string): string {
  return typeof item === 'object' && item !== null && 'role' in item && !('type' in item)
    ? 'message'
    : checkValue(typed, item, at).type;
}

function readMessage({ conversation, item, at }: Reading): void {
  const { role, content } = checkValue(messageItem, item, at);
  const contentAt = `${at}.content`;
  // May be empty: the turn can consist of other items.
  if (role === 'assistant') conversation.addText(readAssistantContent(content, contentAt));
  else if (content.length === 0 && typeof content !== 'string') throw missingParameter(contentAt);
  else conversation.add({ role, content: readContent(content, contentAt) });
}

function readFunctionCall({ conversation, item, at, toolbox }: Reading): void {
  const call = checkValue(functionCallItem, item, at);
  conversation.addToolCall({
    id: call.call_id,
    type: 'function',
    function: { name: toolbox.functionName(call), arguments: call.arguments === '' ? '{}' : call.arguments },
    ...(call.extra_content && { extra_content: call.extra_content }),
  });
}

function readCustomCall({ conversation, item, at, toolbox }: Reading): void {
  const call = checkValue(customCallItem, item, at);
  conversation.addToolCall({
    id: call.call_id,
    type: 'function',
    function: { name: toolbox.functionName(call), arguments: JSON.stringify({ [customInputName]: call.input }) },
    ...(call.extra_content && { extra_content: call.extra_content }),
  });
}

function readCallOutput({ conversation, item, at }: Reading): void {
  const { call_id: callId, output } = checkValue(callOutputItem, item, at);
  conversation.add({ role: 'tool', tool_call_id: callId, content: readContent(output, `${at}.output`) });
}

/** A search without an id was the provider's own. */
function readToolSearchCall({ conversation, item, at, toolbox }: Reading): void {
  const call = checkValue(toolSearchCallItem, item, at);
  if (typeof call.call_id !== 'string') return;
  conversation.addToolCall({
    id: call.call_id,
    type: 'function',
    function: { name: toolbox.searchName, arguments: JSON.stringify(call.arguments ?? {}) },
    ...(call.extra_content && { extra_content: call.extra_content }),
  });
}

/** The model is offered the tools themselves; the result of the call only names them. */
function readToolSearchOutput({ conversation, item, at, toolbox }: Reading): void {
  const { call_id: callId, tools } = checkValue(itemWithTools, item, at);
  if (typeof callId !== 'string') return;
  const names = tools.map(asRecord).flatMap(({ type, name, tools: inner }) => {
    const namespace = type === 'namespace' ? asText(name) : undefined;
    const found = namespace === undefined ? [asText(name)] : asArray(inner).map((tool) => asText(asRecord(tool).name));
    return found.flatMap((text) => (text === undefined ? [] : toolbox.functionName({ name: text, namespace })));
  });
  conversation.add({ role: 'tool', tool_call_id: callId, content: JSON.stringify({ tools: names }) });
}

/** Reasoning that another service has encrypted is left out: only its text can be read here. */
function readReasoning({ conversation, item, at }: Reading): void {
  const reasoning = checkValue(reasoningItem, item, at);
  const { encrypted_content: encrypted } = reasoning;
  const blocks = typeof encrypted === 'string' && isOwnEncryption(encrypted) ? decodeThoughts(encrypted) : [];
  if (blocks === undefined)
    throw invalidParameter(`${at}.encrypted_content`, 'a value returned by this gateway, unchanged');
  conversation.addReasoning(textOfReasoning(reasoning), blocks);
}

function textOfReasoning({ summary, content }: ReasoningItemParam): string {
  const texts = content?.length ? content : (summary ?? []);
  return texts.map(({ text }) => text).join('\n\n');
}
