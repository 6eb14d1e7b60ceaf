/**
 * A provider's stream, delivered chunk by chunk as it arrives. It waits for a slow reader, which slows the provider down. It
 * knows nothing about the client, and reads in the same way after the client has disconnected.
 */
import { monotonicMs } from '../../../shared/durations.ts';
import type { Framing } from '../../nouns/framing/framing.ts';
import type { HttpResponse } from '../../nouns/http-response.ts';
import { restOfStreamTimeoutMs } from '../../nouns/limits.ts';
import { UpstreamFailure } from '../../nouns/upstream-failure.ts';
import { type Delivered, nothingDelivered } from '../../nouns/usage.ts';
import type { ResponseStream } from '../../providers/adapter.ts';
import type { RunningRequest } from '../settlement/running-request.ts';

const encoder = new TextEncoder();
/** Another tokenizer may count less. A response is not cut short for tokens that it may not have. */
const certainShare = 0.9;
/** No byte of a stream is more tokens, whatever its calibration. */
const tokensPerByteMax = 6;

/** Takes a chunk of the response. If it returns a promise, the next chunk waits for it. */
export type Deliver = (chunk: Uint8Array) => Promise<unknown> | undefined;

export class UpstreamStream {
  /** How long `begin` waited in vain for the first chunk, during which the client got no headers. */
  silentMs = 0;
  readonly #translation: ResponseStream;
  readonly #response: Pick<HttpResponse, 'readWhile'>;
  readonly #running: RunningRequest;
  readonly #framing: Framing;
  readonly #firstChunk = Promise.withResolvers<void>();
  readonly #delivery = Promise.withResolvers<Deliver>();
  #reading: Promise<void> = Promise.resolve();
  #deliver: Deliver | undefined;
  /** Waits for the provider; what fails now is its response. */
  #isReceiving = true;
  /** Another provider can no longer be tried. */
  #hasBegun = false;
  #cutShort = false;
  /** Whether the latest chunk is not delivered, or not yet: it is not known to be covered. */
  #holdsBack = false;
  /** What had been delivered before the latest chunk, if that may exceed what the hold covers. */
  #deliveredBefore: Delivered = nothingDelivered;
  /** The most bytes that the translation has not read yet, since their event is incomplete. */
  #unreadBytesMax = 0;

  constructor(
    response: Pick<HttpResponse, 'readWhile'>,
    options: { framing: Framing; translation: ResponseStream; running: RunningRequest },
  ) {
    this.#response = response;
    this.#framing = options.framing;
    this.#translation = options.translation;
    this.#running = options.running;
  }

  /** The estimated output that was delivered to the client. Output that the hold does not cover is not delivered. */
  get deliveredTokens(): number {
    if (this.#holdsBack) return this.#deliveredBefore.tokens;
    return Math.min(this.#translation.deliveredTokens, this.#running.coveredTokens);
  }

  /** How many of them are audio. */
  get deliveredAudioTokens(): number {
    if (this.#holdsBack) return this.#deliveredBefore.audioTokens ?? 0;
    return Math.min(this.#translation.deliveredAudioTokens ?? 0, this.#running.coveredTokens);
  }

  /**
   * Waits for the first chunk, so that another provider can be tried if this one fails immediately; but at most
   * `timeoutMs`, if given, as the client is without headers until then. Throws UpstreamFailure.
   */
  async begin(timeoutMs: number | undefined): Promise<void> {
    this.#reading = this.#read();
    let timer: Timer | undefined;
    const timeout = new Promise<void>((resolve) => {
      if (timeoutMs === undefined) return;
      timer = setTimeout(() => {
        this.silentMs = timeoutMs;
        resolve();
      }, timeoutMs);
    });
    try {
      await Promise.race([this.#firstChunk.promise, this.#reading, timeout]);
    } finally {
      this.#hasBegun = true;
      clearTimeout(timer);
    }
  }

  /** Resolves after the last chunk of a complete response. Throws UpstreamFailure. */
  deliverTo(deliver: Deliver): Promise<void> {
    this.#delivery.resolve(deliver);
    return this.#reading;
  }

  /** Called when the stream is no longer needed. */
  end(): void {
    if (this.#translation.ended && !this.#cutShort) void this.#readRest();
    else this.#close();
  }

  /** There are no attempts after a stream has begun, so this ends the stream's own attempt. */
  #close(): void {
    this.#running.abort.endAttempt();
  }

  async #read(): Promise<void> {
    const translation = this.#translation;
    try {
      await this.#response.readWhile((chunk) => this.#take(chunk));
      this.#isReceiving = false;
      if (!translation.complete) throw translation.failure ?? brokenOff();
      if (!this.#cutShort && translation.usage !== null) this.#running.meter?.learn(translation.usage);
    } catch (error) {
      // The rest of a failed stream is not read.
      this.#close();
      throw this.#isReceiving ? brokenOff(error) : error;
    }
  }

  /** Nearly every chunk is delivered before this returns, without a promise. */
  #take(chunk: Uint8Array): boolean | Promise<boolean> {
    this.#isReceiving = false;
    const translation = this.#translation;
    const output = this.#translate(chunk);
    if (translation.failure !== undefined && !translation.complete && !this.#hasBegun) throw translation.failure;
    const isCovered = translation.deliveredTokensMax <= this.#running.coveredTokens;
    if (this.#deliver === undefined || !isCovered) return this.#deliverWhenReady(output, isCovered);
    const slow = output === undefined ? undefined : this.#pass(output, this.#deliver);
    return slow === undefined ? this.#isToReceive() : this.#receiveAfter(slow);
  }

  async #receiveAfter(slow: Promise<unknown>): Promise<boolean> {
    await slow;
    return this.#isToReceive();
  }

  /** The first chunk waits until someone takes it, and one that the hold may not cover for the wallet. */
  async #deliverWhenReady(output: Uint8Array | undefined, isCovered: boolean): Promise<boolean> {
    if (!isCovered) await this.#coverLatest();
    const bytes = this.#cutShort ? encoder.encode(this.#translation.cutShort()) : output;
    if (bytes !== undefined) {
      this.#deliver ??= await this.#beginDelivery();
      await this.#pass(bytes, this.#deliver);
    }
    return this.#isToReceive();
  }

  async #beginDelivery(): Promise<Deliver> {
    const { timeline } = this.#running;
    this.#noteFirstToken();
    timeline.respondedAtMs = monotonicMs();
    timeline.trace?.streamBegins();
    this.#firstChunk.resolve();
    const deliver = await this.#delivery.promise;
    timeline.deliveredAtMs = monotonicMs();
    return deliver;
  }

  #pass(bytes: Uint8Array, deliver: Deliver): Promise<unknown> | undefined {
    this.#noteFirstToken();
    return deliver(bytes);
  }

  #noteFirstToken(): void {
    const { timeline } = this.#running;
    if (timeline.firstTokenAtMs === undefined && this.#translation.deliveredTokensMax > 0)
      timeline.firstTokenAtMs = monotonicMs();
  }

  #isToReceive(): boolean {
    this.#isReceiving = true;
    return !this.#translation.ended;
  }

  #translate(chunk: Uint8Array): Uint8Array | undefined {
    this.#running.received(chunk.byteLength);
    const bytesMax = this.#unreadBytesMax + chunk.byteLength;
    const tokensMax = this.#translation.deliveredTokensMax + bytesMax * tokensPerByteMax;
    if (tokensMax > this.#running.coveredTokens) {
      this.#deliveredBefore = { tokens: this.deliveredTokens, audioTokens: this.deliveredAudioTokens };
    }
    const whole = this.#framing.take(chunk);
    const output = whole && this.#translation.push(whole);
    this.#unreadBytesMax = output === undefined ? bytesMax : chunk.byteLength;
    if (whole === undefined) return undefined;
    // The response is generated and billed: only the usage is still to come, and is needed even if the client leaves.
    if (this.#translation.complete) this.#running.connection.onDisconnect = 'drain';
    return output;
  }

  /** The tokens are only counted near the end of what the hold covers. Throws if Redis does not respond. */
  async #coverLatest(): Promise<void> {
    this.#holdsBack = true;
    this.#cutShort = !(await this.#running.covers(Math.floor(this.#translation.deliveredTokens * certainShare)));
    this.#holdsBack = this.#cutShort;
  }

  /**
   * Reads to the end of the HTTP message, which follows the end mark. Aborting before it would cost a new connection,
   * with a TLS handshake, for every stream.
   */
  async #readRest(): Promise<void> {
    const timer = setTimeout(() => this.#close(), restOfStreamTimeoutMs);
    try {
      await this.#response.readWhile(() => {
        // Something follows that nobody expects.
        this.#close();
        return false;
      });
    } catch {
      // The stream is over either way.
    } finally {
      clearTimeout(timer);
    }
  }
}

function brokenOff(cause?: unknown): UpstreamFailure {
  return new UpstreamFailure('cut', 'The provider ended its response early.', { cause });
}
