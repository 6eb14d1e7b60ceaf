/**
 * Translates chat messages to Anthropic's conversation: system texts separately, then alternating user and assistant
 * turns. Nothing is made up: a conversation that Anthropic does not accept is refused.
 */
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ChatMessage } from '../../../nouns/requests/chat-request.ts';
import { toolCallIdOf } from '../../content-blocks/tool-call.ts';
import { assistantBlocks } from './assistant-blocks.ts';
import { cacheControlOf, contentBlocksOf, textBlocksOf } from './content-blocks.ts';
import type { Block, Conversation, TextBlock, ToolResultBlock, Turn } from './messages-request.ts';

/** `keepsSearches`: with those of earlier turns. Throws GatewayError that names the message at fault. */
export function buildConversation(messages: readonly ChatMessage[], keepsSearches = false): Conversation {
  const system: TextBlock[] = [];
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const param = `messages[${index}]`;
    if (message.role === 'system' || message.role === 'developer') {
      system.push(...marked(textBlocksOf(message.content, `${param}.content`), message));
      continue;
    }
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = marked(blocksOf(message, param, keepsSearches), message);
    if (content.length === 0) continue;
    if (turns.length === 0 && role === 'assistant') throw invalidParameter(param, 'a user message before it');
    addTurn(turns, { role, content });
  }
  if (turns.length === 0) throw invalidParameter('messages', 'a user message that is not empty');
  if (keepsSearches) leaveOutUnpaired(turns);
  trimPrefill(turns);
  return { system, turns: turns.filter(({ content }) => content.length > 0) };
}

/**
 * Anthropic refuses a search without its result, and a result without its search, unless it is to run the search now: at the end of
 * the conversation, or where the results of other calls follow.
 */
function leaveOutUnpaired(turns: Turn[]): void {
  for (const [index, turn] of turns.entries()) {
    const searches = new Set(turn.content.flatMap((block) => (block.type === 'server_tool_use' ? [block.id] : [])));
    const found = new Set(
      turn.content.flatMap((block) => (block.type === 'web_search_tool_result' ? [block.tool_use_id] : [])),
    );
    const mayWait = turns.slice(index + 1).every(({ content }) => content.some(({ type }) => type === 'tool_result'));
    turn.content = turn.content.filter((block) => {
      if (block.type === 'server_tool_use') return found.has(block.id) || (mayWait && index >= turns.length - 2);
      return block.type !== 'web_search_tool_result' || searches.has(block.tool_use_id);
    });
  }
}

function blocksOf(message: ChatMessage, param: string, keepsSearches: boolean): Block[] {
  switch (message.role) {
    case 'user':
      return contentBlocksOf(message.content, `${param}.content`);
    case 'assistant':
      return assistantBlocks(message, param, keepsSearches);
    case 'tool':
      return [toolResult(message, param)];
    default:
      throw unsupportedParameter(`${param}.role`, "This model does not support messages with the role 'function'.");
  }
}

function toolResult(message: ChatMessage, param: string): ToolResultBlock {
  const content = contentBlocksOf(message.content, `${param}.content`);
  return {
    type: 'tool_result',
    tool_use_id: toolCallIdOf(message, param),
    ...(content.length > 0 ? { content } : {}),
  };
}

/** A mark on the message applies to its last block. */
function marked<Kind extends Block>(blocks: Kind[], message: ChatMessage): Kind[] {
  const last = blocks.at(-1);
  if (last !== undefined && last.type !== 'thinking' && last.type !== 'redacted_thinking') {
    Object.assign(last, cacheControlOf(message));
  }
  return blocks;
}

/** Merges consecutive messages of one role into one turn, so that all results of parallel tool calls are together. */
function addTurn(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1);
  if (last?.role === turn.role) last.content.push(...turn.content);
  else turns.push(turn);
}

/** The model continues a final assistant text, and Anthropic refuses one that ends in white space. */
function trimPrefill(turns: readonly Turn[]): void {
  const last = turns.at(-1);
  const block = last?.role === 'assistant' ? last.content.at(-1) : undefined;
  if (block?.type === 'text') block.text = block.text.trimEnd();
}
