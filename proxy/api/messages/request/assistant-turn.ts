/**
 * Translates an assistant turn to a chat message. Signed thinking goes back unchanged, because only the provider that
 * signed it can read it. Thinking without a signature is from a provider that calls it `reasoning_content`.
 */
import { withoutNullish } from '../../../../shared/members.ts';
import type { SearchBlock, ThinkingBlock } from '../../../nouns/chat-completion.ts';
import type { ChatContentPart, ChatMessage, ChatToolCall } from '../../../nouns/requests/chat-request.ts';
import { type AssistantBlock, assistantBlocks } from './block-schemas.ts';
import { partsOf } from './content-parts.ts';
import { readBlocks } from './read-blocks.ts';

/** `at` is the content's place in the body. */
export function assistantMessage(content: unknown, at: string): ChatMessage {
  const texts: ChatContentPart[] = [];
  const toolCalls: ChatToolCall[] = [];
  const thinkingBlocks: ThinkingBlock[] = [];
  const searchBlocks: SearchBlock[] = [];
  let reasoning = '';
  for (const [index, block] of readBlocks(assistantBlocks, content, at).entries()) {
    if (block.type === 'text') texts.push(...partsOf(block, `${at}[${index}]`));
    else if (block.type === 'tool_use') toolCalls.push(toolCallOf(block));
    else if (block.type === 'server_tool_use') {
      searchBlocks.push({ type: block.type, id: block.id, name: block.name, input: block.input });
    } else if (block.type === 'web_search_tool_result') {
      searchBlocks.push({ type: block.type, tool_use_id: block.tool_use_id, content: block.content });
    } else if (block.type === 'redacted_thinking') thinkingBlocks.push({ type: block.type, data: block.data });
    else if (block.signature)
      thinkingBlocks.push({ type: block.type, thinking: block.thinking, signature: block.signature });
    else reasoning += block.thinking;
  }
  return {
    role: 'assistant',
    content: toolCalls.length > 0 && texts.length === 0 ? null : joinTexts(texts),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(thinkingBlocks.length === 0 ? {} : { thinking_blocks: thinkingBlocks }),
    ...(searchBlocks.length === 0 ? {} : { search_blocks: searchBlocks }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}

/** The gateway returns text as one block, or as several if thinking or calls come in between. */
function joinTexts(texts: ChatContentPart[]): string | ChatContentPart[] {
  return texts.some((part) => part.cache_control) ? texts : texts.map(({ text }) => text ?? '').join('');
}

function toolCallOf(block: Extract<AssistantBlock, { type: 'tool_use' }>): ChatToolCall {
  return {
    id: block.id,
    type: 'function',
    function: { name: block.name, arguments: JSON.stringify(block.input) },
    ...withoutNullish({ extra_content: block.extra_content }),
  };
}
