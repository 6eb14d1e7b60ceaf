/**
 * Reads request bodies within limits: the bytes of one body, the bytes of all bodies in this process, the duration of
 * an upload, and the structure of the JSON. A body counts until its request has been answered.
 *
 * A small body arrives with its headers, or right after them, and is read as a whole. A large one is read chunk by
 * chunk, and waits in the kernel while this process is busy.
 */

import { monotonicMs } from '../../durations.ts';
import { GatewayError } from '../../errors.ts';
import { type JsonLimits, JsonScanner } from './json-scanner.ts';

/** Of one body. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly json: JsonLimits;
}

/** A body that counts towards the limits; `release` gives its bytes back. */
export interface Body {
  readonly text: string;
  /** The number of bytes that the client sent. */
  readonly bytes: number;
  /** Members in the text; a name that occurs twice in an object counts twice. */
  readonly members: number;
  release(): void;
}

/** The client has closed its connection before its body was complete. There is nobody left to respond to. */
export class UploadAborted extends Error {
  override readonly name = 'UploadAborted';
}

/** Reading chunk by chunk takes several times as long. */
const smallMaxBytes = 262_144;
const retryAfterSeconds = 1;
const sweepMs = 1_000;

/** An upload may take this long, plus time for what has arrived so far. */
const uploadMs = 15_000;
const uploadBytesPerSecond = 65_536;
/** An upload that brings less than this in the time is aborted, however long it has been running. */
const stallMs = 10_000;
const stallBytes = 65_536;

interface Upload {
  readonly startedAtMs: number;
  received: number;
  checkedAtMs: number;
  receivedThen: number;
  giveUp(): void;
}

export class Bodies {
  readonly #maxBytes: number;
  readonly #uploads = new Set<Upload>();
  readonly #sweep: Timer;
  #bytes = 0;

  /** `maxBytes` is the limit for all bodies together. */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes;
    this.#sweep = setInterval(() => this.sweep(monotonicMs()), sweepMs);
  }

  /** Of all bodies that have been read, or are being read. */
  get bytes(): number {
    return this.#bytes;
  }

  stop(): void {
    clearInterval(this.#sweep);
  }

  /**
   * Rejects with GatewayError `body_too_large`, `body_too_complex`, `request_timeout` or `overloaded`, or with
   * UploadAborted; then the body no longer counts.
   */
  async read(request: Request, limits: BodyLimits): Promise<Body> {
    const announced = Number(request.headers.get('content-length') ?? 0);
    if (announced > limits.maxBytes) throw bodyTooLarge(limits.maxBytes);
    // Accessing the stream creates it, which small bodies do not need.
    if (announced > 0 && announced <= smallMaxBytes) return this.#readSmall(request, announced, limits);
    return request.body === null
      ? new CountedBody({ text: '', bytes: 0, members: 0 }, this.#release)
      : this.#readLarge(request.body, limits);
  }

  /** Aborts uploads that take too long. Called every second. */
  sweep(nowMs: number): void {
    for (const upload of this.#uploads) {
      if (isTooSlow(upload, nowMs)) upload.giveUp();
    }
  }

  async #readSmall(request: Request, bytes: number, { json }: BodyLimits): Promise<Body> {
    this.#take(bytes);
    try {
      const text = await this.#inTime(request.text(), bytes);
      const scanner = new JsonScanner(json);
      scanner.push(text);
      return new CountedBody({ text, bytes, members: scanner.members }, this.#release);
    } catch (error) {
      this.#release(bytes);
      throw error;
    }
  }

  /** How much has arrived is not known before all has: it may take as long as if it had been arriving steadily. */
  #inTime(reading: Promise<string>, bytes: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const upload = this.#begin(() => reject(bodyTooSlow()));
      upload.received = bytes;
      reading
        .then(resolve, (cause: unknown) => reject(new UploadAborted('', { cause })))
        .finally(() => this.#uploads.delete(upload));
    });
  }

  async #readLarge(stream: ReadableStream<Uint8Array>, limits: BodyLimits): Promise<Body> {
    const reader = stream.getReader();
    const decoder = new TextDecoder();
    const scanner = new JsonScanner(limits.json);
    const pieces: string[] = [];
    let isGivenUp = false;
    const upload = this.#begin(() => {
      isGivenUp = true;
      void reader.cancel().catch(() => {});
    });
    const take = (text: string) => {
      scanner.push(text);
      pieces.push(text);
    };
    try {
      for (;;) {
        const { done, value } = await reader.read().catch(aborted);
        if (done) break;
        if (upload.received + value.byteLength > limits.maxBytes) throw bodyTooLarge(limits.maxBytes);
        this.#take(value.byteLength);
        upload.received += value.byteLength;
        take(decoder.decode(value, { stream: true }));
      }
      if (isGivenUp) throw bodyTooSlow();
      take(decoder.decode());
      const { members } = scanner;
      return new CountedBody({ text: pieces.join(''), bytes: upload.received, members }, this.#release);
    } catch (error) {
      this.#release(upload.received);
      if (!isGivenUp) void reader.cancel().catch(() => {});
      throw isGivenUp ? bodyTooSlow() : error;
    } finally {
      this.#uploads.delete(upload);
    }
  }

  #begin(giveUp: () => void): Upload {
    const nowMs = monotonicMs();
    const upload = { startedAtMs: nowMs, received: 0, checkedAtMs: nowMs, receivedThen: 0, giveUp };
    this.#uploads.add(upload);
    return upload;
  }

  #take(bytes: number): void {
    if (this.#bytes + bytes > this.#maxBytes) throw tooManyBodies();
    this.#bytes += bytes;
  }

  readonly #release = (bytes: number): void => {
    this.#bytes -= bytes;
  };
}

class CountedBody implements Body {
  readonly text: string;
  readonly bytes: number;
  readonly members: number;
  #release: ((bytes: number) => void) | undefined;

  constructor({ text, bytes, members }: Omit<Body, 'release'>, release: (bytes: number) => void) {
    this.text = text;
    this.bytes = bytes;
    this.members = members;
    this.#release = release;
  }

  release(): void {
    this.#release?.(this.bytes);
    this.#release = undefined;
  }
}

function isTooSlow(upload: Upload, nowMs: number): boolean {
  const { startedAtMs, received, checkedAtMs, receivedThen } = upload;
  if (nowMs - startedAtMs > uploadMs + (received / uploadBytesPerSecond) * 1_000) return true;
  if (nowMs - checkedAtMs < stallMs) return false;
  upload.checkedAtMs = nowMs;
  upload.receivedThen = received;
  return received - receivedThen < stallBytes;
}

function aborted(cause: unknown): never {
  throw new UploadAborted('the client has closed its connection', { cause });
}

export function bodyTooLarge(maxBytes: number): GatewayError {
  return new GatewayError('body_too_large', `The request body is larger than ${maxBytes} bytes.`);
}

export function bodyTooSlow(): GatewayError {
  return new GatewayError('request_timeout', 'The request body took too long to arrive.');
}

export function tooManyBodies(): GatewayError {
  return new GatewayError('overloaded', 'The requests in progress are too large in total. Please retry.', {
    retryAfterSeconds,
  });
}
