/** A whole chat completion as a message. */
import type { ChatCompletion, ThinkingBlock, ToolCall } from '../../../nouns/chat-completion.ts';
import type { RenderedCharge } from '../../../nouns/usage.ts';
import type { Message, MessageBlock } from '../message-schemas.ts';
import { renderMessageUsage } from './render-message-usage.ts';
import { stopReasonOf } from './stop-reason.ts';
import { renderToolInput } from './tool-input.ts';

type Head = Pick<Message, 'id' | 'type' | 'role' | 'model'>;
type CallBlock = Extract<MessageBlock, { type: 'tool_use' }>;
type ChoiceMessage = ChatCompletion['choices'][number]['message'];

/** JSON text. */
export function renderMessage(
  completion: ChatCompletion,
  { model, charge, requestId }: { model: string; charge: RenderedCharge; requestId: string },
): string {
  const choice = completion.choices[0];
  const message = choice?.message;
  const toolCalls = message?.tool_calls ?? [];
  const head: Head = { id: messageId(requestId), type: 'message', role: 'assistant', model };
  const end: Omit<Message, keyof Head | 'content' | 'usage'> = {
    stop_reason: stopReasonOf(choice?.finish_reason, {
      callsTools: toolCalls.length > 0,
      refuses: Boolean(message?.refusal),
      native: choice?.native_finish_reason,
    }),
    stop_sequence: null,
  };
  const blocks =
    message?.turn_blocks === undefined
      ? [...(message === undefined ? [] : proseBlocks(message)), ...toolCalls.map(toolBlock)]
      : blocksInOrder(message.turn_blocks, toolCalls);
  const usage = renderMessageUsage(charge);
  return `${JSON.stringify(head).slice(0, -1)},"content":[${blocks.join(',')}],${JSON.stringify(end).slice(1, -1)},"usage":${usage}}`;
}

/** Thinking comes first, as the model generated it first. */
function proseBlocks({ content, refusal, reasoning_content, thinking_blocks }: ChoiceMessage): string[] {
  const blocks: MessageBlock[] = [];
  for (const block of thinking_blocks ?? []) blocks.push(thoughtOf(block));
  if (blocks.length === 0 && reasoning_content) {
    blocks.push({ type: 'thinking', thinking: reasoning_content, signature: '' });
  }
  for (const text of [content, refusal]) if (text) blocks.push({ type: 'text', text });
  return blocks.map((block) => JSON.stringify(block));
}

/** As the provider has generated them. It accepts no empty texts back. */
function blocksInOrder(turn: NonNullable<ChoiceMessage['turn_blocks']>, toolCalls: readonly ToolCall[]): string[] {
  return turn.flatMap((block) => {
    if (block.type === 'call') return toolCalls.slice(block.index, block.index + 1).map(toolBlock);
    if (block.type === 'text') return block.text === '' ? [] : [JSON.stringify(block)];
    const isThought = block.type === 'thinking' || block.type === 'redacted_thinking';
    return [JSON.stringify(isThought ? thoughtOf(block) : block)];
  });
}

function thoughtOf({ type, thinking = '', signature = '', data = '' }: ThinkingBlock): MessageBlock {
  return type === 'thinking' ? { type, thinking, signature } : { type, data };
}

function toolBlock({ id, function: called, extra_content }: ToolCall): string {
  const block: Omit<CallBlock, 'input'> = { type: 'tool_use', id, name: called.name, extra_content };
  return `${JSON.stringify(block).slice(0, -1)},"input":${renderToolInput(called.arguments)}}`;
}

/** Contains the request id, so that the message can be found in the logs and the ledger. */
export function messageId(requestId: string): string {
  return `msg_${requestId.replaceAll('-', '')}`;
}
