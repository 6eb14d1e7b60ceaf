/**
 * A provider's stream, read piece by piece as its reader asks for it, so that a slow reader slows the provider. Knows
 * nothing of the client: it is read on in the same way when he has left.
 */
import type { AnswerStream } from '../adapters/adapter.ts';
import type { RunningRequest } from '../settlement/running-request.ts';
import { restOfStreamTimeoutMs } from './limits.ts';
import { UpstreamFailure } from './upstream-failure.ts';
import { WholeLines } from './whole-lines.ts';

const encoder = new TextEncoder();

export class UpstreamStream {
  /** What the client has been given of it, as far as it is counted. */
  deliveredTokens = 0;
  /** How long the first piece has been waited for in vain: the server sends no headers before there is something. */
  silentMs = 0;
  readonly #translation: AnswerStream;
  readonly #reader: ReturnType<typeof readerOf>;
  readonly #running: RunningRequest;
  readonly #close: () => void;
  readonly #lines = new WholeLines();
  #first: Promise<Uint8Array | undefined> | undefined;
  #cutShort = false;

  constructor(
    bytes: ReadableStream<Uint8Array>,
    options: { translation: AnswerStream; running: RunningRequest; close: () => void },
  ) {
    this.#reader = readerOf(bytes);
    this.#translation = options.translation;
    this.#running = options.running;
    this.#close = options.close;
  }

  /**
   * Waits for the first piece, so that a provider that fails at once can be followed by another one; but no longer than
   * a client may be left without headers. Throws UpstreamFailure.
   */
  async begin(patienceMs: number): Promise<void> {
    const first = this.#read();
    this.#first = first;
    let timer: Timer | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.silentMs = patienceMs;
        resolve();
      }, patienceMs);
    });
    try {
      await Promise.race([first, patience]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The next bytes for the client; undefined after the last ones of a complete answer. Throws UpstreamFailure. */
  next(): Promise<Uint8Array | undefined> {
    const first = this.#first;
    if (first === undefined) return this.#read();
    this.#first = undefined;
    return first;
  }

  /** Nothing more is wanted of it. */
  end(): void {
    if (this.#translation.ended && !this.#cutShort) void this.#readRest();
    else this.#close();
  }

  async #read(): Promise<Uint8Array | undefined> {
    try {
      return await this.#readPiece();
    } catch (error) {
      // Whatever else comes of a stream that has failed is not looked at.
      this.#close();
      throw error;
    }
  }

  async #readPiece(): Promise<Uint8Array | undefined> {
    const translation = this.#translation;
    while (!translation.ended) {
      const piece = await this.#receive();
      if (piece === undefined) break;
      this.#running.received(piece.byteLength);
      const lines = this.#lines.take(piece);
      if (lines === undefined) continue;
      const output = translation.push(lines);
      // Had it thrown, these would have been counted and not delivered.
      this.deliveredTokens = translation.deliveredTokens;
      // The work is done and billed: what the provider still has to say is how much, whoever is there to read it.
      if (translation.complete) this.#running.departure.onDisconnect = 'drain';
      const covered = this.#running.covers(this.deliveredTokens);
      if (covered !== true && !(await covered)) {
        this.#cutShort = true;
        return encoder.encode(translation.cutShort());
      }
      if (output !== undefined) return output;
    }
    if (!translation.complete) {
      throw translation.failure ?? new UpstreamFailure('cut', 'The provider broke off its answer.');
    }
    return undefined;
  }

  async #receive(): Promise<Uint8Array | undefined> {
    try {
      const { done, value } = await this.#reader.read();
      return done ? undefined : value;
    } catch (cause) {
      throw new UpstreamFailure('cut', 'The provider broke off its answer.', { cause });
    }
  }

  /**
   * After the end mark there is the end of the HTTP message. Breaking off before it would cost a new connection, with
   * its TLS handshake, for every stream.
   */
  async #readRest(): Promise<void> {
    const timer = setTimeout(this.#close, restOfStreamTimeoutMs);
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

function readerOf(bytes: ReadableStream<Uint8Array>) {
  return bytes.getReader();
}
