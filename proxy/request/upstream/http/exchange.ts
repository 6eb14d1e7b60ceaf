/**
 * A request and its response: the head, and the body in pieces, which are read one after the other. If they are not read, the
 * server has to wait.
 */
import type { HttpResponse, TakePiece } from '../../../nouns/http-response.ts';
import { decoded } from './decoded.ts';
import type { HeaderFields } from './header-fields.ts';
import type { ResponseHead } from './response-parser.ts';

/** What a connection does for it. */
interface Carrier {
  close(): void;
  pause(): void;
  resume(): void;
}

/** Who reads the body at the moment. */
interface Reader {
  readonly take: TakePiece;
  readonly done: PromiseWithResolvers<void>;
  /** It has not finished with a piece. */
  isBusy: boolean;
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
  #reader: Reader | undefined;

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
    const response = new ReadResponse(status, headers, (take) => this.#readWhile(take));
    try {
      this.#response.resolve(decoded(response));
    } catch (error) {
      this.abort(error);
    }
  }

  push(piece: Uint8Array): void {
    const reader = this.#reader;
    if (reader !== undefined && !reader.isBusy) {
      this.#pass(reader, piece);
      return;
    }
    this.#unread.push(piece);
    this.#unreadBytes += piece.length;
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
    this.#tellEnd();
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#carrier = undefined;
    this.#failure = { error };
    this.#response.reject(error);
    this.#tellEnd();
  }

  #readWhile(take: TakePiece): Promise<void> {
    const reader: Reader = { take, done: Promise.withResolvers(), isBusy: false };
    this.#reader = reader;
    this.#passUnread(reader);
    return reader.done.promise;
  }

  #passUnread(reader: Reader): void {
    while (this.#reader === reader && !reader.isBusy) {
      const piece = this.#unread.shift();
      if (piece === undefined) {
        if (this.#isOver) this.#tellEnd();
        return;
      }
      this.#unreadBytes -= piece.length;
      if (this.#isPaused && this.#unread.length === 0) {
        this.#isPaused = false;
        this.#carrier?.resume();
      }
      this.#pass(reader, piece);
    }
  }

  #pass(reader: Reader, piece: Uint8Array): void {
    try {
      const isMoreWanted = reader.take(piece);
      if (isMoreWanted === false) this.#leave(reader);
      else if (isMoreWanted !== true) void this.#waitFor(reader, isMoreWanted);
    } catch (error) {
      this.#leave(reader, { error });
    }
  }

  async #waitFor(reader: Reader, asked: Promise<boolean>): Promise<void> {
    reader.isBusy = true;
    try {
      const isMoreWanted = await asked;
      reader.isBusy = false;
      if (isMoreWanted) this.#passUnread(reader);
      else this.#leave(reader);
    } catch (error) {
      this.#leave(reader, { error });
    }
  }

  /** Once everything that came before is read. */
  #tellEnd(): void {
    const reader = this.#reader;
    if (reader !== undefined && !reader.isBusy && this.#unread.length === 0) this.#leave(reader, this.#failure);
  }

  #leave(reader: Reader, failure?: { readonly error: unknown }): void {
    this.#reader = undefined;
    if (failure === undefined) reader.done.resolve();
    else reader.done.reject(failure.error);
  }
}

class ReadResponse implements HttpResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly readWhile: HttpResponse['readWhile'];

  constructor(status: number, headers: HeaderFields, readWhile: HttpResponse['readWhile']) {
    this.status = status;
    this.headers = headers;
    this.readWhile = readWhile;
  }
}
