/** A streamed response in a dialect: translates the adapter's chat chunks to the dialect's events. */
import type { ChatChunk } from '../../nouns/chat-completion.ts';
import type { DialectStream } from '../../nouns/dialect.ts';
import { dataOfEvent, endOfEvent } from '../../nouns/framing/event-text.ts';
import type { RenderedCharge } from '../../nouns/usage.ts';
import type { ResponseStream } from '../../providers/adapter.ts';

export class DialectResponseStream implements ResponseStream {
  readonly #inner: ResponseStream;
  readonly #dialect: DialectStream;
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();

  constructor(inner: ResponseStream, dialect: DialectStream) {
    this.#inner = inner;
    this.#dialect = dialect;
  }

  get complete() {
    return this.#inner.complete;
  }

  get ended() {
    return this.#inner.ended;
  }

  get failure() {
    return this.#inner.failure;
  }

  get usage() {
    return this.#inner.usage;
  }

  get deliveredTokens() {
    return this.#inner.deliveredTokens;
  }

  get deliveredTokensMax() {
    return this.#inner.deliveredTokensMax;
  }

  get deliveredAudioTokens() {
    return this.#inner.deliveredAudioTokens ?? 0;
  }

  get webSearches() {
    return this.#inner.webSearches ?? 0;
  }

  push(bytes: Uint8Array): Uint8Array | undefined {
    const chunks = this.#inner.push(bytes);
    if (chunks === undefined) return undefined;
    // Adapters return whole events only, so no character is split.
    const events = this.#translate(this.#decoder.decode(chunks));
    return events === '' ? undefined : this.#encoder.encode(events);
  }

  cutShort(): string {
    return this.#translate(this.#inner.cutShort());
  }

  close(charge: RenderedCharge): string {
    return this.#translate(this.#inner.close(charge)) + this.#dialect.close(charge);
  }

  #translate(text: string): string {
    let output = '';
    let start = 0;
    for (let end = endOfEvent(text, start); end > 0; end = endOfEvent(text, start)) {
      const data = dataOfEvent(text.slice(start, end));
      start = end;
      if (data === undefined || data === '[DONE]') continue;
      // An adapter rendered it.
      output += this.#dialect.push(JSON.parse(data) as ChatChunk);
    }
    return output;
  }
}
