/** A whole chat completion as a message. */
import type { ChatCompletion, ToolCall } from '../../../nouns/chat-completion.ts';
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
    }),
    stop_sequence: null,
  };
  const blocks = [...(message === undefined ? [] : proseBlocks(message)), ...toolCalls.map(toolBlock)];
  const usage = renderMessageUsage(charge);
  return `${JSON.stringify(head).slice(0, -1)},"content":[${blocks.join(',')}],${JSON.stringify(end).slice(1, -1)},"usage":${usage}}`;
}

/** Thinking comes first, as the model generated it first, and searches before the text that says what they have found. */
function proseBlocks(message: ChoiceMessage): string[] {
  const { content, refusal, reasoning_content, thinking_blocks, search_blocks = [], annotations = [] } = message;
  const blocks: MessageBlock[] = [];
  for (const { type, thinking = '', signature = '', data = '' } of thinking_blocks ?? []) {
    blocks.push(type === 'thinking' ? { type, thinking, signature } : { type, data });
  }
  if (blocks.length === 0 && reasoning_content) {
    blocks.push({ type: 'thinking', thinking: reasoning_content, signature: '' });
  }
  blocks.push(...search_blocks);
  const citations = annotations.flatMap(({ citation }) => citation ?? []);
  if (content) blocks.push({ type: 'text', text: content, ...(citations.length > 0 && { citations }) });
  if (refusal) blocks.push({ type: 'text', text: refusal });
  return blocks.map((block) => JSON.stringify(block));
}

function toolBlock({ id, function: called, extra_content }: ToolCall): string {
  const block: Omit<CallBlock, 'input'> = { type: 'tool_use', id, name: called.name, extra_content };
  return `${JSON.stringify(block).slice(0, -1)},"input":${renderToolInput(called.arguments)}}`;
}

/** Contains the request id, so that the message can be found in the logs and the ledger. */
export function messageId(requestId: string): string {
  return `msg_${requestId.replaceAll('-', '')}`;
}
