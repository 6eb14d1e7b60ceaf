/**
 * Translates a Converse stream, event by event, to chunks of a chat completion. The stop reason comes before the usage,
 * which is the last event: a response that ends between the two is complete, and its usage is estimated.
 */
import { isObject } from '../../../../shared/members.ts';
import type { ChatDelta } from '../../../nouns/chat-completion.ts';
import { asIndex, asRecord, asText } from '../../../nouns/json/record.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import type { RenderedCharge, Usage } from '../../../nouns/usage.ts';
import { TextScale } from '../../../pricing/text-scale.ts';
import type { ResponseStream } from '../../adapter.ts';
import { ChunkWriter, type ChunkWriterOptions } from '../../content-blocks/chunk-writer.ts';
import { finishReasonOf } from '../../content-blocks/finish-reason.ts';
import { generatedTexts, OpenBlocks } from '../../content-blocks/open-blocks.ts';
import { readConverseUsage } from './read-body.ts';
import { type ConverseEvent, readFrames } from './read-frames.ts';

export interface ConverseStreamOptions extends ChunkWriterOptions {
  /** The tool whose input is the response, if the model was given one. */
  readonly jsonTool: string | undefined;
  readonly keepsOrder?: boolean | undefined;
  /** Weighs the output. */
  readonly scale?: TextScale | undefined;
}

export class ConverseStream implements ResponseStream {
  complete = false;
  ended = false;
  failure: UpstreamFailure | undefined;
  usage: Usage | null = null;
  readonly #encoder = new TextEncoder();
  readonly #writer: ChunkWriter;
  readonly #blocks: OpenBlocks;
  readonly #scale: TextScale;
  #output = '';

  constructor({ jsonTool, keepsOrder, scale = new TextScale(), ...options }: ConverseStreamOptions) {
    this.#scale = scale;
    this.#writer = new ChunkWriter(options);
    this.#blocks = new OpenBlocks({ jsonTool, keepsOrder, completionId: () => this.#writer.id });
  }

  get deliveredTokens(): number {
    return this.#scale.tokens;
  }

  get deliveredTokensMax(): number {
    return this.#scale.tokensMax;
  }

  push(bytes: Uint8Array): Uint8Array | undefined {
    this.#output = '';
    try {
      for (const event of readFrames(bytes)) if (!this.ended) this.#apply(event);
    } catch (error) {
      // Output before the error in the same chunk is charged, so it is delivered; a complete response is not lost.
      if (!(error instanceof UpstreamFailure) || (this.#output === '' && !this.complete)) throw error;
      this.failure = error;
      this.ended = true;
    }
    return this.#output === '' ? undefined : this.#encoder.encode(this.#output);
  }

  cutShort(): string {
    this.complete = true;
    this.ended = true;
    return this.#writer.finish('length');
  }

  close(charge: RenderedCharge): string {
    return this.#writer.end(charge);
  }

  /** Ignores events of other types. */
  #apply({ type, payload }: ConverseEvent): void {
    const event = asRecord(payload);
    const index = asIndex(event.contentBlockIndex) ?? 0;
    switch (type) {
      case 'contentBlockStart':
        this.#begin(index, asRecord(event.start));
        break;
      case 'contentBlockDelta':
        this.#continue(index, asRecord(event.delta));
        break;
      case 'contentBlockStop':
        this.#write(this.#blocks.stop(index));
        break;
      case 'messageStop':
        this.#finish(asText(event.stopReason));
        break;
      case 'metadata':
        this.usage = readConverseUsage(event.usage);
        this.ended = this.complete;
    }
  }

  /** Only the start of a tool call has content. */
  #begin(index: number, { toolUse }: Readonly<Record<string, unknown>>): void {
    if (!isObject(toolUse)) return;
    const { toolUseId, name } = toolUse;
    this.#write(this.#blocks.start(index, { type: 'tool_use', id: asText(toolUseId), name: asText(name) }));
  }

  #continue(index: number, { text, toolUse, reasoningContent }: Readonly<Record<string, unknown>>): void {
    const blocks = this.#blocks;
    const { text: thinking, signature, redactedContent: data } = asRecord(reasoningContent);
    if (typeof text === 'string') this.#write(blocks.continue(index, { type: 'text_delta', text }));
    if (isObject(toolUse)) {
      this.#write(blocks.continue(index, { type: 'input_json_delta', partial_json: asText(toolUse.input) }));
    }
    if (typeof thinking === 'string') this.#write(blocks.continue(index, { type: 'thinking_delta', thinking }));
    if (typeof signature === 'string') this.#write(blocks.continue(index, { type: 'signature_delta', signature }));
    if (typeof data === 'string') this.#write(blocks.start(index, { type: 'redacted_thinking', data }));
  }

  #finish(stopReason: string | undefined): void {
    if (this.complete) return;
    this.#write(this.#blocks.stopAll());
    this.#output += this.#writer.finish(finishReasonOf(stopReason, this.#blocks.toolCalls));
    this.complete = true;
    this.ended = this.usage !== null;
  }

  #write(deltas: readonly ChatDelta[]): void {
    for (const delta of deltas) {
      for (const text of generatedTexts(delta)) this.#scale.add(text);
      this.#output += this.#writer.delta(delta);
    }
  }
}
