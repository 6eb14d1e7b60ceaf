/** Writes the chunks of one streamed chat completion, framed for SSE. The first chunk has the role. */
import type { ChatChunk, ChatDelta, FinishReason, NativeFinishReason } from '../../nouns/chat-completion.ts';
import type { RenderedCharge } from '../../nouns/usage.ts';
import { renderUsage } from '../../pricing/render-usage.ts';
import { completionId } from './ids.ts';

export interface ChunkWriterOptions {
  readonly includeUsage: boolean;
  /** The model's id in the catalogue. */
  readonly model: string;
  readonly createdAtMs: number;
}

export class ChunkWriter {
  readonly #includeUsage: boolean;
  readonly #created: number;
  #id: string | undefined;
  readonly #model: string;
  #hasRole = false;

  constructor({ includeUsage, model, createdAtMs }: ChunkWriterOptions) {
    this.#includeUsage = includeUsage;
    this.#model = model;
    this.#created = Math.floor(createdAtMs / 1000);
  }

  get id(): string {
    this.#id ??= completionId(undefined);
    return this.#id;
  }

  /** Writes nothing yet, so that another provider can be tried if this one fails before its first output. */
  begin(message: { id?: string | null }): void {
    this.#id ??= completionId(message.id);
  }

  delta(delta: ChatDelta): string {
    return this.#choice(delta, null);
  }

  finish(reason: FinishReason, native: { readonly native_finish_reason?: NativeFinishReason } = {}): string {
    return this.#choice({}, reason, native);
  }

  /** What follows the last choice. */
  end(charge: RenderedCharge): string {
    const chunk = JSON.stringify({ ...this.#head(), choices: [] });
    const usage = this.#includeUsage ? `data: ${chunk.slice(0, -1)},"usage":${renderUsage(charge)}}\n\n` : '';
    return `${usage}data: [DONE]\n\n`;
  }

  #choice(delta: ChatDelta, finishReason: FinishReason | null, native = {}): string {
    const chunk: ChatChunk = {
      ...this.#head(),
      choices: [
        {
          index: 0,
          delta: this.#hasRole ? delta : { role: 'assistant', ...delta },
          finish_reason: finishReason,
          ...native,
        },
      ],
    };
    this.#hasRole = true;
    return `data: ${JSON.stringify(this.#includeUsage ? { ...chunk, usage: null } : chunk)}\n\n`;
  }

  #head() {
    return { id: this.id, object: 'chat.completion.chunk' as const, created: this.#created, model: this.#model };
  }
}
