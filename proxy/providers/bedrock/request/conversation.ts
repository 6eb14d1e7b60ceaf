/**
 * Translates chat messages to a Converse conversation: system texts separately, then alternating user and assistant
 * turns. A mark of a prefix to cache becomes a cache point after what it marks. Nothing is made up: a conversation that
 * Bedrock does not accept is refused.
 */
import { createHash } from 'node:crypto';
import { invalidParameter, unsupportedParameter } from '../../../../shared/http/parameter-errors.ts';
import type { ThinkingBlock } from '../../../nouns/chat-completion.ts';
import type { ChatContentPart, ChatMessage, ChatToolCall } from '../../../nouns/requests/chat-request.ts';
import type { OrderedBlock } from '../../../nouns/requests/ordered-turn.ts';
import { leadingThoughts, orderOf } from '../../content-blocks/earlier-turn.ts';
import { readToolCall, toolCallIdOf } from '../../content-blocks/tool-call.ts';
import {
  type Block,
  type CachePoint,
  type Conversation,
  cachePoint,
  type MediaBlock,
  type ReasoningBlock,
  type TextBlock,
  type ToolUseBlock,
  type Turn,
} from './converse-request.ts';
import { DocumentNames, mediaBlockOf } from './media-block.ts';

const idMax = 64;

interface Context {
  /** False if the provider's models do not support cache points. */
  readonly passesMarks: boolean;
  readonly names: DocumentNames;
}

interface Marked {
  readonly cache_control?: object | null | undefined;
}

/** Throws GatewayError that names the message at fault. */
export function buildConversation(messages: readonly ChatMessage[], passesMarks: boolean): Conversation {
  const context = { passesMarks, names: new DocumentNames() };
  const system: (TextBlock | CachePoint)[] = [];
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const param = `messages[${index}]`;
    if (message.role === 'system' || message.role === 'developer') {
      system.push(...marked(textBlocksOf(message, param, context), message, context));
      continue;
    }
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = marked(blocksOf(message, param, context), message, context);
    if (content.length === 0) continue;
    if (turns.length === 0 && role === 'assistant') throw invalidParameter(param, 'a user message before it');
    addTurn(turns, { role, content });
  }
  if (turns.length === 0) throw invalidParameter('messages', 'a user message that is not empty');
  trimPrefill(turns);
  return { system, messages: turns };
}

function blocksOf(message: ChatMessage, param: string, context: Context): Block[] {
  switch (message.role) {
    case 'user':
      return contentBlocksOf(message, param, context);
    case 'assistant':
      return assistantBlocks(message, param, context);
    case 'tool':
      return toolResult(message, param, context);
    default:
      throw unsupportedParameter(`${param}.role`, "This model does not support messages with the role 'function'.");
  }
}

/** An earlier message of the model, in the order in which it was generated, as far as it is known. */
function assistantBlocks(message: ChatMessage, param: string, context: Context): Block[] {
  const calls = (message.tool_calls ?? []).map((call, index) => [
    toolUse(call, `${param}.tool_calls[${index}]`),
    ...markOf(call, context),
  ]);
  const order = orderOf(message);
  if (order !== undefined) return order.flatMap((block) => orderedBlock(block, calls, context));
  return [
    ...leadingThoughts(message).flatMap(signedThought),
    ...textBlocksOf(message, param, context),
    ...textBlock(message.refusal),
    ...calls.flat(),
  ];
}

function orderedBlock(block: OrderedBlock, calls: readonly Block[][], context: Context): Block[] {
  switch (block.type) {
    case 'call':
      return calls[block.index] ?? [];
    case 'text':
      return textBlock(block.text).flatMap((text) => [text, ...markOf(block, context)]);
    case 'thinking':
    case 'redacted_thinking':
      return signedThought(block);
    default:
      return [];
  }
}

function toolUse(call: ChatToolCall, param: string): ToolUseBlock {
  const { id, ...rest } = readToolCall(call, param);
  return { toolUse: { toolUseId: shortId(id), ...rest } };
}

/** Bedrock accepts ids of at most 64 characters. The result is the same for the call and its result. */
function shortId(id: string): string {
  return id.length <= idMax ? id : createHash('sha256').update(id).digest('hex');
}

/** Bedrock refuses thinking without a signature, and the model does not need it. */
function signedThought(block: ThinkingBlock): ReasoningBlock[] {
  if (block.type === 'redacted_thinking') {
    return block.data ? [{ reasoningContent: { redactedContent: block.data } }] : [];
  }
  const { thinking: text = '', signature } = block;
  return signature ? [{ reasoningContent: { reasoningText: { text: text ?? '', signature } } }] : [];
}

/** A cache point cannot be inside a result, so a mark there applies to the whole result. */
function toolResult(message: ChatMessage, param: string, context: Context): Block[] {
  const content = contentBlocksOf(message, param, { ...context, passesMarks: false });
  const block = {
    toolResult: {
      toolUseId: shortId(toolCallIdOf(message, param)),
      content: content.filter((inner): inner is TextBlock | MediaBlock => 'text' in inner || isMedia(inner)),
    },
  };
  const mark = partsOf(message.content).find(({ cache_control }) => cache_control);
  return [block, ...markOf(mark ?? {}, context)];
}

function isMedia(block: Block): block is MediaBlock {
  return 'image' in block || 'document' in block;
}

/** Text, images and files. */
function contentBlocksOf({ content }: ChatMessage, param: string, context: Context): Block[] {
  return partsOf(content).flatMap((part, index) => {
    const blocks = blocksOfPart(part, `${param}.content[${index}]`, context);
    return blocks.length === 0 ? [] : [...blocks, ...markOf(part, context)];
  });
}

/** Throws GatewayError `unsupported_parameter` for anything but text. */
function textBlocksOf({ content }: ChatMessage, param: string, context: Context): (TextBlock | CachePoint)[] {
  return partsOf(content).flatMap((part, index) => {
    if (part.type !== 'text' && part.type !== 'refusal') throw unsupportedParameter(`${param}.content[${index}].type`);
    const blocks = textBlock(part.type === 'text' ? part.text : part.refusal);
    return blocks.length === 0 ? [] : [...blocks, ...markOf(part, context)];
  });
}

function blocksOfPart(part: ChatContentPart, param: string, { names }: Context): (TextBlock | MediaBlock)[] {
  switch (part.type) {
    case 'text':
      return textBlock(part.text);
    case 'image_url':
      if (!part.image_url) throw invalidParameter(`${param}.image_url`, 'an object with a url');
      return [mediaBlockOf(part.image_url.url, { param: `${param}.image_url.url`, names })];
    case 'file': {
      const { file_data: data, filename } = part.file ?? {};
      if (typeof data !== 'string') {
        throw unsupportedParameter(
          `${param}.file.file_data`,
          "This model only accepts files as a data URL in 'file_data'.",
        );
      }
      return [mediaBlockOf(data, { param: `${param}.file.file_data`, names, filename })];
    }
    default:
      throw unsupportedParameter(`${param}.type`, 'This model does not support content parts of this type.');
  }
}

function partsOf(content: ChatMessage['content']): readonly ChatContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

/** Most models refuse blank text blocks. */
export function textBlock(text: string | null | undefined): TextBlock[] {
  return text?.trim() ? [{ text }] : [];
}

export function markOf({ cache_control: mark }: Marked, { passesMarks }: Pick<Context, 'passesMarks'>): CachePoint[] {
  return mark && passesMarks ? [cachePoint] : [];
}

/** A mark on the message applies to its last block. */
function marked<Kind extends Block>(blocks: Kind[], message: ChatMessage, context: Context): (Kind | CachePoint)[] {
  const last = blocks.at(-1);
  if (last === undefined || 'cachePoint' in last || 'reasoningContent' in last) return blocks;
  return [...blocks, ...markOf(message, context)];
}

/** Merges consecutive messages of one role into one turn, so that all results of parallel tool calls are together. */
function addTurn(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1);
  if (last?.role === turn.role) for (const block of turn.content) last.content.push(block);
  else turns.push({ role: turn.role, content: [...turn.content] });
}

/** The model continues a final assistant text, and Anthropic's models refuse one that ends in white space. */
function trimPrefill(turns: readonly Turn[]): void {
  const last = turns.at(-1);
  const block = last?.role === 'assistant' ? last.content.at(-1) : undefined;
  if (block !== undefined && 'text' in block) block.text = block.text.trimEnd();
}
