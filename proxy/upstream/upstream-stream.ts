/**
 * A provider's stream, read in one loop and given piece by piece to whoever delivers it; the loop waits for a slow
 * reader, so that he slows the provider. Knows nothing of the client: it is read on in the same way when he has left.
 */
import type { AnswerStream } from '../providers/adapter.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import type { Framing } from './framing/framing.ts';
import { restOfStreamTimeoutMs } from './limits.ts';
import { UpstreamFailure } from './upstream-failure.ts';

const encoder = new TextEncoder();
/** Output is weighed, not counted: an answer is not cut short for what may not be there. */
const certainShare = 0.9;

/** Takes a piece of the answer. Where it returns a promise, it wants the next one only after that. */
export type Deliver = (piece: Uint8Array) => Promise<unknown> | undefined;

export class UpstreamStream {
  /** What the client has been given of it, as far as it is counted. */
  deliveredTokens = 0;
  /** How long the first piece has been waited for in vain: the server sends no headers before there is something. */
  silentMs = 0;
  readonly #translation: AnswerStream;
  readonly #reader: ReturnType<typeof readerOf>;
  readonly #running: RunningRequest;
  readonly #framing: Framing;
  readonly #firstPiece = Promise.withResolvers<void>();
  readonly #delivery = Promise.withResolvers<Deliver>();
  #reading: Promise<void> = Promise.resolve();
  #cutShort = false;

  constructor(
    bytes: ReadableStream<Uint8Array>,
    options: { framing: Framing; translation: AnswerStream; running: RunningRequest },
  ) {
    this.#reader = readerOf(bytes);
    this.#framing = options.framing;
    this.#translation = options.translation;
    this.#running = options.running;
  }

  /**
   * Waits for the first piece, so that a provider that fails at once can be followed by another one; but no longer than
   * a client may be left without headers. Throws UpstreamFailure.
   */
  async begin(patienceMs: number): Promise<void> {
    this.#reading = this.#read();
    let timer: Timer | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.silentMs = patienceMs;
        resolve();
      }, patienceMs);
    });
    try {
      await Promise.race([this.#firstPiece.promise, this.#reading, patience]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves behind the last piece of a complete answer. Throws UpstreamFailure. */
  deliverTo(deliver: Deliver): Promise<void> {
    this.#delivery.resolve(deliver);
    return this.#reading;
  }

  /** Nothing more is wanted of it. */
  end(): void {
    if (this.#translation.ended && !this.#cutShort) void this.#readRest();
    else this.#close();
  }

  /** Nothing is tried after a stream that has begun, so the attempt that this ends is its own. */
  #close(): void {
    this.#running.abort.endAttempt();
  }

  async #read(): Promise<void> {
    const translation = this.#translation;
    let deliver: Deliver | undefined;
    let receives = false;
    try {
      while (!translation.ended) {
        receives = true;
        const { done, value: piece } = await this.#reader.read();
        receives = false;
        if (done) break;
        const output = this.#translate(piece);
        const covered = this.#running.covers(Math.floor(translation.deliveredTokens * certainShare));
        this.#cutShort = covered !== true && !(await covered);
        // What was not covered is not delivered either.
        if (!this.#cutShort) this.deliveredTokens = Math.min(translation.deliveredTokens, this.#running.coveredTokens);
        const bytes = this.#cutShort ? encoder.encode(translation.cutShort()) : output;
        if (bytes === undefined) continue;
        if (deliver === undefined) {
          this.#firstPiece.resolve();
          deliver = await this.#delivery.promise;
        }
        const slow = deliver(bytes);
        if (slow !== undefined) await slow;
      }
      if (!translation.complete) throw translation.failure ?? brokenOff();
      if (!this.#cutShort && translation.usage !== null) this.#running.meter?.learn(translation.usage);
    } catch (error) {
      // Whatever else comes of a stream that has failed is not looked at.
      this.#close();
      throw receives ? brokenOff(error) : error;
    }
  }

  #translate(piece: Uint8Array): Uint8Array | undefined {
    this.#running.received(piece.byteLength);
    const whole = this.#framing.take(piece);
    if (whole === undefined) return undefined;
    const output = this.#translation.push(whole);
    // The work is done and billed: what the provider still has to say is how much, whoever is there to read it.
    if (this.#translation.complete) this.#running.departure.onDisconnect = 'drain';
    return output;
  }

  /**
   * After the end mark there is the end of the HTTP message. Breaking off before it would cost a new connection, with
   * its TLS handshake, for every stream.
   */
  async #readRest(): Promise<void> {
    const timer = setTimeout(() => this.#close(), restOfStreamTimeoutMs);
    try {
      // One more piece may belong to the end mark; who goes on after that is cut off.
      if (!(await this.#reader.read()).done) this.#close();
    } catch {
      // It ends here in any case.
    } finally {
      clearTimeout(timer);
    }
  }
}

function brokenOff(cause?: unknown): UpstreamFailure {
  return new UpstreamFailure('cut', 'The provider ended its response early.', { cause });
}

function readerOf(bytes: ReadableStream<Uint8Array>) {
  return bytes.getReader();
}
