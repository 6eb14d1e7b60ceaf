/** An earlier message of the model as content blocks, in the order in which they were generated, as far as it is known. */
import { withoutUndefined } from '../../../../shared/members.ts';
import type { ThinkingBlock } from '../../../nouns/chat-completion.ts';
import type { ChatMessage, ChatToolCall } from '../../../nouns/requests/chat-request.ts';
import type { OrderedBlock } from '../../../nouns/requests/ordered-turn.ts';
import { leadingThoughts, orderOf } from '../../content-blocks/earlier-turn.ts';
import { readToolCall } from '../../content-blocks/tool-call.ts';
import { cacheControlOf, textBlock, textBlocksOf } from './content-blocks.ts';
import type { Block, SignedThought, ToolUseBlock } from './messages-request.ts';

/** Throws GatewayError that names the tool call at fault. */
export function assistantBlocks(message: ChatMessage, param: string, keepsSearches: boolean): Block[] {
  const calls = (message.tool_calls ?? []).map((call, index) => toolUse(call, `${param}.tool_calls[${index}]`));
  const order = orderOf(message, keepsSearches);
  if (order !== undefined) return order.flatMap((block) => blockOf(block, calls));
  return [
    ...leadingThoughts(message).flatMap(signedThought),
    ...textBlocksOf(message.content, `${param}.content`),
    ...textBlock(message.refusal),
    ...calls,
  ];
}

function blockOf(block: OrderedBlock, calls: readonly ToolUseBlock[]): Block[] {
  switch (block.type) {
    case 'call':
      return calls.slice(block.index, block.index + 1);
    case 'text':
      return textBlock(block.text, block).map((text) => ({
        ...text,
        ...withoutUndefined({ citations: block.citations }),
      }));
    case 'thinking':
    case 'redacted_thinking':
      return signedThought(block);
    default: {
      const { cache_control, ...search } = block;
      return [{ ...search, ...cacheControlOf({ cache_control }) }];
    }
  }
}

/** Anthropic refuses thinking without a signature, and the model does not need it. */
function signedThought(block: ThinkingBlock): SignedThought[] {
  if (block.type === 'redacted_thinking') {
    return block.data ? [{ type: 'redacted_thinking', data: block.data }] : [];
  }
  if (!block.signature) return [];
  return [{ type: 'thinking', thinking: block.thinking ?? '', signature: block.signature }];
}

function toolUse(call: ChatToolCall, param: string): ToolUseBlock {
  return { type: 'tool_use', ...readToolCall(call, param), ...cacheControlOf(call) };
}
