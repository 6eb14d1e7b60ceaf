/**
 * Reads request bodies within limits: the bytes of one body, the memory that all bodies in this process take, the
 * duration of an upload, and the structure of the JSON. A body counts until its request is over.
 *
 * A small body arrives with its headers, or right after them, and is read as a whole. A large one is read chunk by
 * chunk, waits in the kernel while this process is busy, and stays bytes: as text, it may take twice as much.
 *
 * What counts is memory, not what was sent: ./body-memory.ts says how much.
 */
import { monotonicMs } from '../../durations.ts';
import { GatewayError } from '../../errors.ts';
import { nextTurn } from '../../next-turn.ts';
import { Body, leaveGarbage, smallMaxBytes } from './body.ts';
import { arrivingMemory, passingMemory, smallBodyMemory } from './body-memory.ts';
import { type FileSink, type Form, type FormLimits, FormReader } from './form.ts';
import { type JsonLimits, JsonScanner } from './json-scanner.ts';

/** Of one body. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly json: JsonLimits;
}

/** The client has closed its connection before its body was complete. There is no one to respond to. */
export class UploadAborted extends Error {
  override readonly name = 'UploadAborted';
}

/** As much of large bodies is taken in one turn of the event loop: others wait for it. */
const turnMaxBytes = 8 * 1024 * 1024;
const retryAfterSeconds = 1;
const sweepMs = 1_000;
/** A form that is passed on leaves its chunks, and what is made of them. */
const passingGarbage = 3;

/** An upload may take this long, plus time for what has arrived so far. */
const uploadMs = 15_000;
const uploadBytesPerSecond = 65_536;
/** An upload that brings less than this in the time is aborted, however long it has been running. */
const stallMs = 10_000;
const stallBytes = 65_536;

interface Announced extends BodyLimits {
  /** 0 if the client has not announced how many bytes it sends. */
  readonly announced: number;
}

interface Receiving {
  readonly body: Body;
  readonly maxBytes: number;
  /** How much memory so many bytes take. */
  memoryOf(received: number): number;
  /** The next chunk is read once it has resolved. The client is not to blame for the time that it takes. */
  take(chunk: Uint8Array): void | Promise<void>;
}

/** Where a form's file goes that is too large for memory. */
export interface FilePassage {
  open(field: string, filename: string): FileSink;
  /** Resolves once more can be appended. */
  drained(): Promise<void>;
}

/** A form counts until its body is released. */
export interface FormBody {
  readonly body: Body;
  readonly form: Form;
}

interface Upload {
  startedAtMs: number;
  received: number;
  checkedAtMs: number;
  receivedThen: number;
  /** The client waits for this process. */
  isWaiting: boolean;
  giveUp(): void;
}

export class Bodies {
  readonly #maxBytes: number;
  readonly #uploads = new Set<Upload>();
  readonly #sweep: Timer;
  #bytes = 0;
  /** Of large bodies, in this turn of the event loop. */
  #turnBytes = 0;
  #turn: Promise<void> | undefined;

  /** `maxBytes` is the limit for the memory of all bodies together. */
  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes;
    this.#sweep = setInterval(() => this.sweep(monotonicMs()), sweepMs);
  }

  /** The memory of all bodies that have been read, or are being read. */
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
    const body = new Body(this.#resize);
    try {
      // Accessing the stream creates it, and reading it chunk by chunk takes several times as long.
      if (announced > 0 && announced <= smallMaxBytes) {
        body.count(announced);
        const text = await this.#inTime(request.text(), announced);
        arriveWhole(body, text, { announced, ...limits });
      } else if (request.body !== null) await this.#readLarge(request.body, body, { announced, ...limits });
      return body;
    } catch (error) {
      body.release();
      throw error;
    }
  }

  /**
   * Reads a form whose files stay in memory once, until the body is released. Rejects as `read` does, and with GatewayError
   * `invalid_form`.
   */
  async readForm(request: Request, { maxBytes, ...limits }: FormLimits): Promise<FormBody> {
    const announced = Number(request.headers.get('content-length') ?? 0);
    if (announced > maxBytes) throw bodyTooLarge(maxBytes);
    const body = new Body(this.#resize);
    try {
      const reader = new FormReader(request.headers.get('content-type'), { ...limits, announced });
      if (request.body !== null) {
        const memoryOf = (received: number) => Math.max(received, announced);
        this.#check(announced);
        const take = (chunk: Uint8Array) => reader.push(chunk);
        const bytes = await this.#receive(request.body, { body, maxBytes, memoryOf, take });
        // The form keeps what it needs.
        body.arrived([], { bytes, members: 0 });
      }
      return { body, form: await reader.end() };
    } catch (error) {
      body.release();
      throw error;
    }
  }

  /**
   * Reads a form whose file is passed on while it arrives: what of it is in memory is bounded, whatever its size. Resolves with
   * the form's fields. Rejects as `readForm` does.
   */
  async passForm(request: Request, { maxBytes, ...limits }: FormLimits, passage: FilePassage): Promise<Form['fields']> {
    const announced = Number(request.headers.get('content-length') ?? 0);
    if (announced > maxBytes) throw bodyTooLarge(maxBytes);
    const body = new Body(this.#resize);
    try {
      const opening = (field: string, filename: string) => passage.open(field, filename);
      const reader = new FormReader(request.headers.get('content-type'), { ...limits, announced }, opening);
      if (request.body !== null) {
        this.#check(passingMemory);
        const take = (chunk: Uint8Array) => {
          reader.push(chunk);
          leaveGarbage(passingGarbage * chunk.byteLength);
          return passage.drained();
        };
        await this.#receive(request.body, { body, maxBytes, memoryOf: () => passingMemory, take });
      }
      const { fields } = await reader.end();
      await passage.drained();
      return fields;
    } finally {
      body.release();
    }
  }

  /** Aborts uploads that take too long. Called every second. */
  sweep(nowMs: number): void {
    for (const upload of this.#uploads) {
      if (isTooSlow(upload, nowMs)) upload.giveUp();
    }
  }

  /** How much has arrived is not known before all has: it may take as long as if it had been arriving steadily. */
  #inTime(reading: Promise<string>, bytes: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const upload = this.#begin(() => reject(bodyTooSlow()));
      upload.received = bytes;
      reading.then(
        (text) => {
          this.#uploads.delete(upload);
          resolve(text);
        },
        (cause: unknown) => {
          this.#uploads.delete(upload);
          reject(new UploadAborted('', { cause }));
        },
      );
    });
  }

  async #readLarge(
    stream: ReadableStream<Uint8Array>,
    body: Body,
    { announced, maxBytes, json }: Announced,
  ): Promise<void> {
    // Nothing is read of what has no room.
    this.#check(arrivingMemory(announced));
    const scanner = new JsonScanner(json);
    const chunks: Uint8Array[] = [];
    const take = (chunk: Uint8Array) => {
      // All of JSON's syntax is ASCII, and no byte of another character is.
      scanner.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1'));
      chunks.push(chunk);
    };
    const bytes = await this.#receive(stream, { body, maxBytes, memoryOf: arrivingMemory, take });
    body.arrived(chunks, { bytes, members: scanner.members });
    if (!body.isLarge) body.count(smallBodyMemory(body.becomeText(), bytes));
  }

  /** Resolves with the number of bytes. Rejects with what `take` throws, too. */
  async #receive(stream: ReadableStream<Uint8Array>, { body, maxBytes, memoryOf, take }: Receiving): Promise<number> {
    const reader = stream.getReader();
    let isGivenUp = false;
    const upload = this.#begin(() => {
      isGivenUp = true;
      void reader.cancel().catch(() => {});
    });
    try {
      for (;;) {
        const { done, value } = await reader.read().catch(aborted);
        if (done) break;
        const received = upload.received + value.byteLength;
        if (received > maxBytes) throw bodyTooLarge(maxBytes);
        body.count(memoryOf(received));
        upload.received = received;
        const taken = take(value);
        if (taken !== undefined) await this.#wait(upload, taken);
        await this.#pace(value.byteLength);
      }
      if (isGivenUp) throw bodyTooSlow();
      return upload.received;
    } catch (error) {
      if (!isGivenUp) void reader.cancel().catch(() => {});
      throw isGivenUp ? bodyTooSlow() : error;
    } finally {
      this.#uploads.delete(upload);
    }
  }

  async #wait(upload: Upload, taken: Promise<void>): Promise<void> {
    const sinceMs = monotonicMs();
    upload.isWaiting = true;
    await taken;
    upload.isWaiting = false;
    const waitedMs = monotonicMs() - sinceMs;
    upload.startedAtMs += waitedMs;
    upload.checkedAtMs += waitedMs;
  }

  /** What is not read waits in the kernel. */
  #pace(bytes: number): Promise<void> | undefined {
    this.#turnBytes += bytes;
    if (this.#turnBytes < turnMaxBytes) return undefined;
    this.#turn ??= nextTurn().then(() => {
      this.#turn = undefined;
      this.#turnBytes = 0;
    });
    return this.#turn;
  }

  #begin(giveUp: () => void): Upload {
    const nowMs = monotonicMs();
    const upload = { startedAtMs: nowMs, received: 0, checkedAtMs: nowMs, receivedThen: 0, isWaiting: false, giveUp };
    this.#uploads.add(upload);
    return upload;
  }

  #check(more: number): void {
    if (this.#bytes + more > this.#maxBytes) throw tooManyBodies();
  }

  readonly #resize = (more: number): void => {
    if (more > 0) this.#check(more);
    this.#bytes += more;
  };
}

function isTooSlow(upload: Upload, nowMs: number): boolean {
  const { startedAtMs, received, checkedAtMs, receivedThen, isWaiting } = upload;
  if (isWaiting) return false;
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

function arriveWhole(body: Body, text: string, { announced, json }: Announced): void {
  const scanner = new JsonScanner(json);
  scanner.push(text);
  body.count(smallBodyMemory(text, announced));
  body.arrived(text, { bytes: announced, members: scanner.members });
}
