/**
 * Translates a streamed message, event by event, to chunks of a chat completion. The counts at its start are not final:
 * the usage is known when a `message_delta` reports the generated tokens. A response that is cut off before is charged
 * for the prompt as counted, including cached tokens, and for the delivered output.
 */
import { createParser, type ParseError } from 'eventsource-parser';
import type { ChatDelta } from '../../../nouns/chat-completion.ts';
import { eventMaxCharacters } from '../../../nouns/limits.ts';
import { UpstreamFailure } from '../../../nouns/upstream-failure.ts';
import type { RenderedCharge, Usage } from '../../../nouns/usage.ts';
import { TextScale } from '../../../pricing/text-scale.ts';
import type { ResponseStream } from '../../adapter.ts';
import { ChunkWriter, type ChunkWriterOptions } from '../../content-blocks/chunk-writer.ts';
import { finishReasonOf, nativeReasonOf } from '../../content-blocks/finish-reason.ts';
import { type MessageCounts, noCounts, usageOf } from '../../content-blocks/message-counts.ts';
import { generatedTexts, OpenBlocks } from '../../content-blocks/open-blocks.ts';
import type { Shown } from '../../content-blocks/web-searches.ts';
import { type ProviderEvent, type ProviderMessage, readBlock, readDelta, readEvent } from './provider-message.ts';
import { reviseCounts } from './read-message-usage.ts';

export interface MessageStreamOptions extends ChunkWriterOptions {
  /** The tool whose input is the response, if the model was given one. */
  readonly jsonTool: string | undefined;
  /** Weighs the output. */
  readonly scale?: TextScale | undefined;
  readonly keepsOrder?: boolean | undefined;
  readonly shown?: Shown | undefined;
}

export class MessageStream implements ResponseStream {
  complete = false;
  ended = false;
  failure: UpstreamFailure | undefined;
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  readonly #parser = createParser({
    maxBufferSize: eventMaxCharacters,
    onEvent: ({ data }) => this.#take(data),
    onError: refuseEndless,
  });
  readonly #writer: ChunkWriter;
  readonly #blocks: OpenBlocks;
  readonly #scale: TextScale;
  readonly #shown: Shown | undefined;
  #counts = noCounts;
  #stopReason: string | null | undefined;
  #output = '';

  constructor({ jsonTool, keepsOrder, shown, scale = new TextScale(), ...options }: MessageStreamOptions) {
    this.#scale = scale;
    this.#shown = shown;
    this.#writer = new ChunkWriter(options);
    this.#blocks = new OpenBlocks({ jsonTool, keepsOrder, shown, completionId: () => this.#writer.id });
  }

  get deliveredTokens(): number {
    return this.#scale.tokens;
  }

  get deliveredTokensMax(): number {
    return this.#scale.tokensMax;
  }

  get usage(): Usage | null {
    return usageOf(this.complete ? this.#counts : this.#countsSoFar(), this.webSearches);
  }

  get webSearches(): number {
    return this.#blocks.webSearches;
  }

  push(bytes: Uint8Array): Uint8Array | undefined {
    this.#output = '';
    try {
      this.#parser.feed(this.#decoder.decode(bytes, { stream: true }));
    } catch (error) {
      // Output before the error in the same chunk is charged, so it is delivered; a complete response is not lost.
      if (!(error instanceof UpstreamFailure) || (this.#output === '' && !this.complete)) throw error;
      this.failure = error;
      this.ended = true;
    }
    return this.#output === '' ? undefined : this.#encoder.encode(this.#output);
  }

  cutShort(): string {
    this.#counts = this.#countsSoFar();
    this.complete = true;
    this.ended = true;
    return this.#writer.finish('length');
  }

  close(charge: RenderedCharge): string {
    return this.#writer.end(charge);
  }

  #countsSoFar(): MessageCounts {
    return { ...this.#counts, output: Math.max(this.#counts.output ?? 0, this.deliveredTokens) };
  }

  #take(data: string): void {
    if (this.ended) return;
    const event = readEvent(data);
    if (event !== undefined) this.#apply(event);
  }

  #apply(event: ProviderEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#begin(event.message);
        break;
      case 'content_block_start': {
        const block = readBlock(event.content_block);
        if (block !== undefined) this.#write(this.#blocks.start(event.index ?? 0, block));
        break;
      }
      case 'content_block_delta': {
        const delta = readDelta(event.delta);
        if (delta !== undefined) this.#write(this.#blocks.continue(event.index ?? 0, delta));
        break;
      }
      case 'content_block_stop':
        this.#write(this.#blocks.stop(event.index ?? 0));
        break;
      case 'message_delta':
        this.#counts = reviseCounts(this.#counts, event.usage);
        this.#stopReason = event.delta?.stop_reason ?? this.#stopReason;
        if (event.delta?.stop_reason) this.#finish();
        break;
      case 'message_stop':
        this.#finish();
        this.ended = true;
    }
  }

  #begin(message: ProviderMessage): void {
    this.#writer.begin(message);
    this.#counts = { ...reviseCounts(noCounts, message.usage), output: undefined };
    this.#stopReason = message.stop_reason;
    // Rarely, the start contains whole blocks.
    for (const value of message.content ?? []) {
      const block = readBlock(value);
      if (block !== undefined) this.#write([...this.#blocks.start(-1, block), ...this.#blocks.stop(-1)]);
    }
  }

  #finish(): void {
    if (this.complete) return;
    this.#write(this.#blocks.stopAll());
    const native = this.#shown?.showsResults ? nativeReasonOf(this.#stopReason) : {};
    this.#output += this.#writer.finish(finishReasonOf(this.#stopReason, this.#blocks.toolCalls), native);
    this.complete = true;
  }

  #write(deltas: readonly ChatDelta[]): void {
    for (const delta of deltas) {
      for (const text of generatedTexts(delta)) this.#scale.add(text);
      this.#output += this.#writer.delta(delta);
    }
  }
}

function refuseEndless(error: ParseError): void {
  if (error.type !== 'max-buffer-size-exceeded') return;
  throw new UpstreamFailure('malformed', 'The provider sent an event that is too large.', { cause: error });
}
