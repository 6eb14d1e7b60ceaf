/**
 * A request and its response: the head, and the body in pieces, which are read one after the other. If they are not read, the
 * server has to wait.
 */
import type { HttpResponse } from '../../../nouns/http-response.ts';
import type { HeaderFields } from './header-fields.ts';
import type { ResponseHead } from './response-parser.ts';

/** What a connection does for it. */
interface Carrier {
  close(): void;
  pause(): void;
  resume(): void;
}

/** With so much that was not read, nothing more is received. */
const unreadMaxBytes = 256 * 1024;

export class Exchange {
  readonly #response = Promise.withResolvers<HttpResponse>();
  #carrier: Carrier | undefined;
  #isAnswered = false;
  #isOver = false;
  #failure: { readonly error: unknown } | undefined;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  #isPaused = false;
  #reader: PromiseWithResolvers<Uint8Array | undefined> | undefined;

  /** Resolves with the head of the response. */
  get response(): Promise<HttpResponse> {
    return this.#response.promise;
  }

  /** At least a byte of the response has come. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Something of the response has come. */
  answered(): void {
    this.#isAnswered = true;
  }

  attach(carrier: Carrier): void {
    this.#carrier = carrier;
  }

  /** In a function of its own: a closure of one that has the request would keep that in memory as long as the response. */
  obey(signal: AbortSignal): void {
    signal.addEventListener('abort', () => this.abort(signal.reason), { once: true });
  }

  /** Closes the connection, unless the response is complete. */
  abort(reason: unknown): void {
    if (this.#isOver) return;
    const carrier = this.#carrier;
    this.fail(reason);
    carrier?.close();
  }

  begin({ status, headers }: ResponseHead): void {
    this.#response.resolve(new ReadResponse(status, headers, () => this.#read()));
  }

  push(bytes: Uint8Array): void {
    const reader = this.#reader;
    if (reader !== undefined) {
      this.#reader = undefined;
      reader.resolve(bytes);
      return;
    }
    this.#unread.push(bytes);
    this.#unreadBytes += bytes.length;
    if (this.#unreadBytes > unreadMaxBytes && !this.#isPaused) {
      this.#isPaused = true;
      this.#carrier?.pause();
    }
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // Another request may follow on the connection before all of this response is read.
    if (this.#isPaused) this.#carrier?.resume();
    this.#carrier = undefined;
    this.#reader?.resolve(undefined);
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#carrier = undefined;
    this.#failure = { error };
    this.#response.reject(error);
    this.#reader?.reject(error);
  }

  #read(): Promise<Uint8Array | undefined> {
    const bytes = this.#unread.shift();
    if (bytes !== undefined) return Promise.resolve(this.#took(bytes));
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    if (this.#isOver) return Promise.resolve(undefined);
    this.#reader = Promise.withResolvers();
    return this.#reader.promise;
  }

  #took(bytes: Uint8Array): Uint8Array {
    this.#unreadBytes -= bytes.length;
    if (this.#isPaused && this.#unread.length === 0) {
      this.#isPaused = false;
      this.#carrier?.resume();
    }
    return bytes;
  }
}

class ReadResponse implements HttpResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly read: () => Promise<Uint8Array | undefined>;

  constructor(status: number, headers: HeaderFields, read: () => Promise<Uint8Array | undefined>) {
    this.status = status;
    this.headers = headers;
    this.read = read;
  }
}
