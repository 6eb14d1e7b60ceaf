/** An earlier message of the model as content blocks: signed thinking, then searches, then text, then tool calls. */
import type { SearchBlock } from '../../../nouns/chat-completion.ts';
import { asArray, asRecord } from '../../../nouns/json/record.ts';
import type { ChatMessage, ChatToolCall } from '../../../nouns/requests/chat-request.ts';
import { webSearchKind } from '../../../nouns/requests/web-search.ts';
import { readToolCall } from '../../content-blocks/tool-call.ts';
import { textBlock, textBlocksOf } from './content-blocks.ts';
import type { Block, SignedThought, ToolUseBlock } from './messages-request.ts';

/** Throws GatewayError that names the tool call at fault. */
export function assistantBlocks(message: ChatMessage, param: string, keepsSearches: boolean): Block[] {
  return [
    ...(message.thinking_blocks ?? []).flatMap(signedThought),
    ...(keepsSearches ? asArray(message.search_blocks).filter(isOfSearch) : []),
    ...textBlocksOf(message.content, `${param}.content`),
    ...textBlock(message.refusal),
    ...(message.tool_calls ?? []).map((call, index) => toolUse(call, `${param}.tool_calls[${index}]`)),
  ];
}

/** Anthropic refuses thinking without a signature, and the model does not need it. */
function signedThought(block: NonNullable<ChatMessage['thinking_blocks']>[number]): SignedThought[] {
  if (block.type === 'redacted_thinking') {
    return block.data ? [{ type: 'redacted_thinking', data: block.data }] : [];
  }
  if (!block.signature) return [];
  return [{ type: 'thinking', thinking: block.thinking ?? '', signature: block.signature }];
}

/** Whoever sends a chat completion request may write anything there. */
function isOfSearch(block: unknown): block is SearchBlock {
  const { type, name } = asRecord(block);
  return type === 'web_search_tool_result' || (type === 'server_tool_use' && name === webSearchKind);
}

function toolUse(call: ChatToolCall, param: string): ToolUseBlock {
  return { type: 'tool_use', ...readToolCall(call, param) };
}
