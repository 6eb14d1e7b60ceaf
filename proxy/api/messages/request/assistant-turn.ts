/**
 * Translates an assistant turn to a chat message. Signed thinking goes back unchanged, because only the provider that
 * signed it can read it, and at its place. Thinking without a signature is from a provider that calls it `reasoning_content`.
 */
import { isObject, withoutNullish, withoutUndefined } from '../../../../shared/members.ts';
import type { ThinkingBlock } from '../../../nouns/chat-completion.ts';
import { asArray, asRecord } from '../../../nouns/json/record.ts';
import type { ChatContentPart, ChatMessage, ChatToolCall } from '../../../nouns/requests/chat-request.ts';
import { fitsChatMessage, isOfSearch, type OrderedBlock, orderedTurn } from '../../../nouns/requests/ordered-turn.ts';
import { type AssistantBlock, assistantBlocks } from './block-schemas.ts';
import { partsOf } from './content-parts.ts';
import { readBlocks } from './read-blocks.ts';

/** `at` is the content's place in the body. */
export function assistantMessage(content: unknown, at: string): ChatMessage {
  const texts: ChatContentPart[] = [];
  const toolCalls: ChatToolCall[] = [];
  const thinkingBlocks: ThinkingBlock[] = [];
  let reasoning = '';
  const blocks = readBlocks(assistantBlocks, content, at);
  const order = orderOf(blocks);
  for (const [index, block] of blocks.entries()) {
    if (block.type === 'text') texts.push(...partsOf(block, `${at}[${index}]`));
    else if (block.type === 'tool_use') toolCalls.push(toolCallOf(block));
    else if (block.type === 'redacted_thinking') thinkingBlocks.push({ type: block.type, data: block.data });
    else if (block.type === 'server_tool_use' || block.type === 'web_search_tool_result') continue;
    else if (block.signature)
      thinkingBlocks.push({ type: block.type, thinking: block.thinking, signature: block.signature });
    else reasoning += block.thinking;
  }
  return {
    role: 'assistant',
    content: toolCalls.length > 0 && texts.length === 0 ? null : joinTexts(texts),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(thinkingBlocks.length === 0 ? {} : { thinking_blocks: thinkingBlocks }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...(!fitsChatMessage(order) && { [orderedTurn]: order }),
  };
}

/** The gateway returns text as one block, or as several if thinking or calls come in between. */
function joinTexts(texts: ChatContentPart[]): string | ChatContentPart[] {
  return texts.some((part) => part.cache_control) ? texts : texts.map(({ text }) => text ?? '').join('');
}

/** Calls by their index, other blocks with known members alone. */
function orderOf(blocks: readonly AssistantBlock[]): OrderedBlock[] {
  const hasSearched = blocks.some(isOfSearch);
  let calls = 0;
  return blocks.flatMap((block): OrderedBlock[] => {
    if (block.type !== 'tool_use') return withoutUnknown(block, hasSearched);
    calls += 1;
    return [{ type: 'call', index: calls - 1 }];
  });
}

/** Thinking without a signature is not Anthropic's, and neither are citations without what was found. */
function withoutUnknown(block: Exclude<AssistantBlock, { type: 'tool_use' }>, hasSearched: boolean): OrderedBlock[] {
  switch (block.type) {
    case 'text': {
      const cited = hasSearched ? asArray(block.citations).filter(isObject) : [];
      return [{ type: block.type, text: block.text, ...markOf(block), ...(cited.length > 0 && { citations: cited }) }];
    }
    case 'thinking':
      return block.signature ? [{ type: block.type, thinking: block.thinking, signature: block.signature }] : [];
    case 'redacted_thinking':
      return [{ type: block.type, data: block.data }];
    case 'server_tool_use':
      return [{ type: block.type, id: block.id, name: block.name, input: block.input, ...markOf(block) }];
    case 'web_search_tool_result':
      return [
        { type: block.type, tool_use_id: block.tool_use_id, content: readResults(block.content), ...markOf(block) },
      ];
  }
}

function markOf({ cache_control }: AssistantBlock) {
  return withoutNullish({ cache_control });
}

const ofResult = ['type', 'url', 'title', 'encrypted_content', 'page_age', 'error_code'] as const;

/** A list of results, or an error. */
function readResults(content: unknown): unknown {
  const known = (value: unknown) => {
    const record = asRecord(value);
    return withoutUndefined(Object.fromEntries(ofResult.map((name) => [name, record[name]])));
  };
  return Array.isArray(content) ? content.map(known) : known(content);
}

function toolCallOf(block: Extract<AssistantBlock, { type: 'tool_use' }>): ChatToolCall {
  return {
    id: block.id,
    type: 'function',
    function: { name: block.name, arguments: JSON.stringify(block.input) },
    ...withoutNullish({ extra_content: block.extra_content }),
    ...markOf(block),
  };
}
