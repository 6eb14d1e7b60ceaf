/** A streamed response whose output is kept while it passes, up to what may be stored of one. */
import type { RenderedCharge } from '../../nouns/usage.ts';
import type { ResponseStream } from '../../providers/adapter.ts';
import { storedMaxCharacters } from './stored-form.ts';

/** Of all streams of this process together. What comes beyond it is not kept. */
const recordedMaxCharacters = 64 * 1024 * 1024;
let recorded = 0;

export class RecordedStream implements ResponseStream {
  readonly #inner: ResponseStream;
  readonly #decoder = new TextDecoder();
  #text = '';
  #isGivenUp = false;

  constructor(inner: ResponseStream) {
    this.#inner = inner;
  }

  /** It is in the API format that the client called, and its last event says more than the usage. */
  get isTranslated(): boolean {
    return this.#inner.renderError !== undefined;
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

  get isUsageEstimated() {
    return this.#inner.isUsageEstimated ?? false;
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
    const output = this.#inner.push(bytes);
    // An adapter returns whole events, so no character is split.
    if (output !== undefined && !this.#isGivenUp) this.#keep(this.#decoder.decode(output));
    return output;
  }

  cutShort(): string {
    this.forget();
    return this.#inner.cutShort();
  }

  close(charge: RenderedCharge): string {
    return this.#inner.close(charge);
  }

  /** The events of a response that is complete, as the provider gave it. Undefined if there was too much of it. */
  take(): string | undefined {
    const text = this.#isGivenUp || this.failure !== undefined ? undefined : this.#text;
    this.forget();
    return text;
  }

  /** To be called however the stream ends. */
  forget(): void {
    recorded -= this.#text.length;
    this.#text = '';
    this.#isGivenUp = true;
  }

  #keep(text: string): void {
    if (this.#text.length + text.length > storedMaxCharacters || recorded + text.length > recordedMaxCharacters) {
      this.forget();
      return;
    }
    this.#text += text;
    recorded += text.length;
  }
}
