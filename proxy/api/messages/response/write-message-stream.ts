/**
 * A streamed message, translated from chat chunks. Input tokens are known only at the end, so `message_start` reports 0
 * and `message_delta` has all counts and the cost.
 */
import type { GatewayError } from '../../../../shared/errors.ts';
import type {
  ChatChunk,
  ChatDelta,
  FinishReason,
  NativeFinishReason,
  SearchBlock,
  ThinkingBlock,
  ToolCallDelta,
} from '../../../nouns/chat-completion.ts';
import type { DialectStream } from '../../../nouns/dialect.ts';
import type { RenderedCharge } from '../../../nouns/usage.ts';
import type { Message, MessageBlock, MessageEvent } from '../message-schemas.ts';
import { type BlockPart, BlockQueue, renderEvent, renderEventText } from './block-queue.ts';
import { messageId } from './render-message.ts';
import { renderMessageUsage, unknownUsage } from './render-message-usage.ts';
import { renderMessageError } from './render-messages-error.ts';
import { stopReasonOf } from './stop-reason.ts';

type EndingEvent = Extract<MessageEvent, { type: 'message_delta' }>;

export class MessageStream implements DialectStream {
  readonly #requestId: string;
  readonly #model: string;
  readonly #blocks = new BlockQueue();
  #started = false;
  #finish: FinishReason | undefined;
  #native: NativeFinishReason | undefined;
  #callsTools = false;
  #refuses = false;
  /** The text of the open thinking block has been streamed already. */
  #thinkingSent = false;

  constructor({ model, requestId }: { model: string; requestId: string }) {
    this.#model = model;
    this.#requestId = requestId;
  }

  push(chunk: ChatChunk): string {
    let events = this.#start();
    for (const { index, delta, finish_reason, native_finish_reason } of chunk.choices) {
      if (index !== 0) continue;
      events += this.#addThinking(delta) + this.#addSearches(delta) + this.#addText(delta);
      for (const call of delta.tool_calls ?? []) events += this.#addToolCall(call);
      if (finish_reason !== null) this.#finish = finish_reason;
      this.#native ??= native_finish_reason;
    }
    return events;
  }

  close(charge: RenderedCharge): string {
    const response = { callsTools: this.#callsTools, refuses: this.#refuses, native: this.#native };
    const delta = { stop_reason: stopReasonOf(this.#finish, response), stop_sequence: null };
    const ending = JSON.stringify({ type: 'message_delta', delta } satisfies Omit<EndingEvent, 'usage'>);
    return [
      this.#start(),
      this.#blocks.closeAll(),
      renderEventText('message_delta', `${ending.slice(0, -1)},"usage":${renderMessageUsage(charge)}}`),
      renderEvent({ type: 'message_stop' }),
    ].join('');
  }

  fail(error: GatewayError): string {
    return renderEventText('error', JSON.stringify(renderMessageError(error, this.#requestId)));
  }

  #start(): string {
    if (this.#started) return '';
    this.#started = true;
    const message: Message = {
      id: messageId(this.#requestId),
      type: 'message',
      role: 'assistant',
      model: this.#model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: unknownUsage,
    };
    return renderEvent({ type: 'message_start', message }) + renderEvent({ type: 'ping' });
  }

  /** A signed block ends with its signature; its text has usually been streamed before. */
  #addThinking({ reasoning_content, thinking_blocks }: ChatDelta): string {
    let events = '';
    if (reasoning_content) events += this.#sendThinking(reasoning_content);
    for (const block of thinking_blocks ?? []) {
      if (block.type === 'redacted_thinking') events += this.#blocks.add(redactedPart(block));
      else events += this.#signThinking(block);
    }
    return events;
  }

  #sendThinking(thinking: string): string {
    this.#thinkingSent = true;
    return this.#blocks.add({ ...thinkingPart, delta: { type: 'thinking_delta', thinking } });
  }

  #signThinking({ thinking, signature }: ThinkingBlock): string {
    let events = '';
    if (thinking && !this.#thinkingSent) events += this.#sendThinking(thinking);
    if (signature) {
      events += this.#blocks.add({ ...thinkingPart, delta: { type: 'signature_delta', signature }, last: true });
      this.#thinkingSent = false;
    }
    return events;
  }

  #addSearches({ search_blocks = [] }: ChatDelta): string {
    let events = '';
    for (const block of search_blocks) events += this.#blocks.add(searchPart(block));
    return events;
  }

  #addText({ content, refusal, annotations = [], text_ends }: ChatDelta): string {
    let events = '';
    if (refusal) this.#refuses = true;
    for (const text of [content, refusal]) {
      if (text) events += this.#blocks.add({ ...textPart, delta: { type: 'text_delta', text } });
    }
    for (const { citation } of annotations) {
      if (citation === undefined) continue;
      events += this.#blocks.add({ ...textPart, delta: { type: 'citations_delta', citation } });
    }
    if (text_ends) this.#blocks.end(textPart.key);
    return events;
  }

  #addToolCall({ index, id, function: called, extra_content }: ToolCallDelta): string {
    this.#callsTools = true;
    const json = called?.arguments ?? '';
    const start: MessageBlock = {
      type: 'tool_use',
      id: id ?? `toolu_${this.#requestId}_${index}`,
      name: called?.name ?? '',
      input: {},
      ...(extra_content === undefined ? {} : { extra_content }),
    };
    const part: BlockPart = { key: `tool ${index}`, start, json };
    if (json === '') return this.#blocks.add(part);
    return this.#blocks.add({ ...part, delta: { type: 'input_json_delta', partial_json: json } });
  }
}

const thinkingPart: BlockPart = { key: 'thinking', start: { type: 'thinking', thinking: '', signature: '' } };
const textPart: BlockPart = { key: 'text', start: { type: 'text', text: '' } };

/** It is whole. */
function searchPart(block: SearchBlock): BlockPart {
  if (block.type === 'web_search_tool_result') return { key: `found ${block.tool_use_id}`, start: block, last: true };
  const partial_json = JSON.stringify(block.input);
  const delta = { type: 'input_json_delta' as const, partial_json };
  return { key: `search ${block.id}`, start: { ...block, input: {} }, delta, last: true };
}

function redactedPart({ data = '' }: ThinkingBlock): BlockPart {
  return { key: 'redacted', start: { type: 'redacted_thinking', data }, last: true };
}
