/** An earlier message of the model as content blocks: signed thinking, then text, then tool calls; a turn in which
 * the web was searched as it was. */
import { withoutUndefined } from '../../../../shared/members.ts';
import type { ThinkingBlock } from '../../../nouns/chat-completion.ts';
import { asArray, asRecord } from '../../../nouns/json/record.ts';
import type { ChatMessage, ChatToolCall } from '../../../nouns/requests/chat-request.ts';
import { type SearchedBlock, type SearchedTurn, searchedTurn } from '../../../nouns/requests/searched-turn.ts';
import { readToolCall } from '../../content-blocks/tool-call.ts';
import { textBlock, textBlocksOf } from './content-blocks.ts';
import type { Block, SignedThought, ToolUseBlock } from './messages-request.ts';

/** Throws GatewayError that names the tool call at fault. */
export function assistantBlocks(message: ChatMessage, param: string, keepsSearches: boolean): Block[] {
  const turn = searchedTurnOf(message);
  if (keepsSearches && Array.isArray(turn)) return turn.flatMap(blockOf);
  return [
    // Signed thinking has to stand where it stood, beside the searches that are left out.
    ...(turn === undefined ? (message.thinking_blocks ?? []).flatMap(signedThought) : []),
    ...textBlocksOf(message.content, `${param}.content`),
    ...textBlock(message.refusal),
    ...(message.tool_calls ?? []).map((call, index) => toolUse(call, `${param}.tool_calls[${index}]`)),
  ];
}

/** Clients of chat completions send back the text of a turn with searches, whose citations show that there were some. */
function searchedTurnOf(message: ChatMessage): SearchedTurn | undefined {
  const { annotations } = asRecord(message);
  return message[searchedTurn] ?? (asArray(annotations).length > 0 ? 'unknown' : undefined);
}

function blockOf(block: SearchedBlock): Block[] {
  switch (block.type) {
    case 'text':
      return textBlock(block.text, block).map((text) => ({
        ...text,
        ...withoutUndefined({ citations: block.citations }),
      }));
    case 'thinking':
    case 'redacted_thinking':
      return signedThought(block);
    default:
      return [block];
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
  return { type: 'tool_use', ...readToolCall(call, param) };
}
