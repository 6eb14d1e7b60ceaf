/** An earlier answer of the model: its signed thoughts first, then its text, then its tool calls. */
import { GatewayError } from '../../../../shared/errors.ts';
import { invalidParameter, unsupportedParameter } from '../../../../shared/parameter-errors.ts';
import { parseExact } from '../../../json/parse-exact.ts';
import type { ChatMessage, ChatToolCall } from '../../../request/chat-request.ts';
import { toolUseId } from '../../content-blocks/tool-use-id.ts';
import { textBlock, textBlocksOf } from './content-blocks.ts';
import type { Block, SignedThought, ToolUseBlock } from './messages-request.ts';

/** Throws GatewayError that names the tool call at fault. */
export function assistantBlocks(message: ChatMessage, param: string): Block[] {
  return [
    ...(message.thinking_blocks ?? []).flatMap(signedThought),
    ...textBlocksOf(message.content, `${param}.content`),
    ...textBlock(message.refusal),
    ...(message.tool_calls ?? []).map((call, index) => toolUse(call, `${param}.tool_calls[${index}]`)),
  ];
}

/** A thought without its signature is refused by Anthropic, and the model does not need it. */
function signedThought(block: NonNullable<ChatMessage['thinking_blocks']>[number]): SignedThought[] {
  if (block.type === 'redacted_thinking') {
    return block.data ? [{ type: 'redacted_thinking', data: block.data }] : [];
  }
  if (!block.signature) return [];
  return [{ type: 'thinking', thinking: block.thinking ?? '', signature: block.signature }];
}

function toolUse(call: ChatToolCall, param: string): ToolUseBlock {
  if (!call.function) throw unsupportedParameter(`${param}.type`, 'This model knows calls of functions only.');
  if (!call.id) {
    throw new GatewayError('missing_parameter', `Missing required parameter: '${param}.id'.`, { param: `${param}.id` });
  }
  return {
    type: 'tool_use',
    id: toolUseId(call.id),
    name: call.function.name,
    input: parseArguments(call.function.arguments ?? '', `${param}.function.arguments`),
  };
}

function parseArguments(text: string, param: string): unknown {
  if (text.trim() === '') return {};
  const value = parse(text);
  if (typeof value !== 'object' || value === null || !text.trimStart().startsWith('{')) {
    throw invalidParameter(param, 'a JSON object as a string');
  }
  return value;
}

function parse(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
