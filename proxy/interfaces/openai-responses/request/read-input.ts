/** Translates the input of a Responses request to chat messages. Throws GatewayError that names the item at fault. */
import { checkValue } from '../../../../shared/http/check-value.ts';
import { invalidParameter, missingParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ChatMessage } from '../../../request/chat-request.ts';
import { decodeThoughts } from '../encrypted-thoughts.ts';
import { Conversation } from './gathered-turns.ts';
import {
  functionCallItem,
  functionCallOutputItem,
  messageItem,
  type ReasoningItemParam,
  reasoningItem,
} from './item-schemas.ts';
import { readAssistantContent, readContent } from './read-content.ts';
import { type ResponsesRequest, typed } from './request-schema.ts';

type ItemReader = (conversation: Conversation, item: unknown, at: string) => void;

const itemReaders: Readonly<Record<string, ItemReader>> = {
  message: readMessage,
  function_call: readFunctionCall,
  function_call_output: readFunctionCallOutput,
  reasoning: readReasoning,
};

export function readInput({ instructions, input }: ResponsesRequest): readonly ChatMessage[] {
  const conversation = new Conversation();
  // Not `developer`: every provider knows `system`.
  if (typeof instructions === 'string') conversation.add({ role: 'system', content: instructions });
  if (typeof input === 'string') conversation.add({ role: 'user', content: input });
  else for (const [index, item] of input.entries()) readItem(conversation, item, `input[${index}]`);
  const messages = conversation.messages();
  if (messages.length === 0) throw invalidParameter('input', 'a string or an array of at least one message');
  return messages;
}

function readItem(conversation: Conversation, item: unknown, at: string): void {
  const type = typeOfItem(item, at);
  const read = Object.hasOwn(itemReaders, type) ? itemReaders[type] : undefined;
  if (read === undefined) {
    const supported = Object.keys(itemReaders).join(', ');
    throw unsupportedParameter(
      `${at}.type`,
      `Items of type '${type}' are not supported. Supported types are ${supported}.`,
    );
  }
  read(conversation, item, at);
}

/** A message may omit its type. */
function typeOfItem(item: unknown, at: string): string {
  return typeof item === 'object' && item !== null && 'role' in item && !('type' in item)
    ? 'message'
    : checkValue(typed, item, at).type;
}

function readMessage(conversation: Conversation, item: unknown, at: string): void {
  const { role, content } = checkValue(messageItem, item, at);
  const contentAt = `${at}.content`;
  // May be empty: the turn can consist of other items.
  if (role === 'assistant') conversation.addText(readAssistantContent(content, contentAt));
  else if (content.length === 0 && typeof content !== 'string') throw missingParameter(contentAt);
  else conversation.add({ role, content: readContent(content, contentAt) });
}

function readFunctionCall(conversation: Conversation, item: unknown, at: string): void {
  const call = checkValue(functionCallItem, item, at);
  conversation.addToolCall({
    id: call.call_id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments === '' ? '{}' : call.arguments },
    ...(call.extra_content && { extra_content: call.extra_content }),
  });
}

function readFunctionCallOutput(conversation: Conversation, item: unknown, at: string): void {
  const { call_id: callId, output } = checkValue(functionCallOutputItem, item, at);
  conversation.add({ role: 'tool', tool_call_id: callId, content: readContent(output, `${at}.output`) });
}

function readReasoning(conversation: Conversation, item: unknown, at: string): void {
  const reasoning = checkValue(reasoningItem, item, at);
  const { encrypted_content: encrypted } = reasoning;
  const blocks = typeof encrypted === 'string' ? decodeThoughts(encrypted) : [];
  if (blocks === undefined)
    throw invalidParameter(`${at}.encrypted_content`, 'a value returned by this gateway, unchanged');
  conversation.addReasoning(textOfReasoning(reasoning), blocks);
}

function textOfReasoning({ summary, content }: ReasoningItemParam): string {
  const texts = content?.length ? content : (summary ?? []);
  return texts.map(({ text }) => text).join('\n\n');
}
