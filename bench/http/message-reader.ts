/**
 * Reads HTTP/1.1 messages from raw bytes: only as much of RFC 9112 as the bench and its contenders use, so that
 * neither the load generator nor the upstream spends its time on HTTP.
 *
 * Invariant: the same bytes give the same result, wherever the network splits them.
 */

export interface MessageHandlers {
  /** The start line and the header lines, without the empty line. */
  head(head: string): void;
  /** Part of the body, without its framing. */
  body(bytes: Buffer): void;
  end(): void;
}

const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
const contentLength = /\r\ncontent-length: *(\d+)/i;
const chunkedEncoding = /\r\ntransfer-encoding: *chunked/i;

type Awaited = 'head' | 'counted body' | 'chunk size' | 'chunk' | 'end of chunk' | 'trailer';

export class MessageReader {
  readonly #handlers: MessageHandlers;
  #awaited: Awaited = 'head';
  #remainingBytes = 0;
  #rest: Buffer | undefined;

  constructor(handlers: MessageHandlers) {
    this.#handlers = handlers;
  }

  feed(data: Buffer): void {
    const bytes = this.#rest === undefined ? data : Buffer.concat([this.#rest, data]);
    this.#rest = undefined;
    let at = 0;
    while (at < bytes.length) {
      const next = this.#step(bytes, at);
      if (next === undefined) {
        this.#rest = bytes.subarray(at);
        return;
      }
      at = next;
    }
  }

  /** Where the next step begins; undefined if the bytes end within a line. */
  #step(bytes: Buffer, at: number): number | undefined {
    switch (this.#awaited) {
      case 'head':
        return this.#readHead(bytes, at);
      case 'counted body':
      case 'chunk':
        return this.#readBody(bytes, at);
      case 'chunk size':
        return this.#readLine(bytes, at, (line) => {
          this.#remainingBytes = Number.parseInt(line, 16);
          this.#awaited = this.#remainingBytes === 0 ? 'trailer' : 'chunk';
        });
      case 'end of chunk':
        return this.#readLine(bytes, at, () => {
          this.#awaited = 'chunk size';
        });
      case 'trailer':
        return this.#readLine(bytes, at, (line) => {
          if (line === '') this.#end();
        });
    }
  }

  #readHead(bytes: Buffer, at: number): number | undefined {
    const end = bytes.indexOf(headEnd, at);
    if (end === -1) return undefined;
    const head = bytes.toString('latin1', at, end);
    this.#handlers.head(head);
    this.#remainingBytes = Number(contentLength.exec(head)?.[1] ?? 0);
    if (chunkedEncoding.test(head)) this.#awaited = 'chunk size';
    else if (this.#remainingBytes > 0) this.#awaited = 'counted body';
    else this.#end();
    return end + headEnd.length;
  }

  #readBody(bytes: Buffer, at: number): number {
    const end = Math.min(at + this.#remainingBytes, bytes.length);
    this.#remainingBytes -= end - at;
    this.#handlers.body(bytes.subarray(at, end));
    if (this.#remainingBytes > 0) return end;
    if (this.#awaited === 'chunk') this.#awaited = 'end of chunk';
    else this.#end();
    return end;
  }

  #readLine(bytes: Buffer, at: number, read: (line: string) => void): number | undefined {
    const end = bytes.indexOf(lineEnd, at);
    if (end === -1) return undefined;
    read(bytes.toString('latin1', at, end));
    return end + lineEnd.length;
  }

  #end(): void {
    this.#awaited = 'head';
    this.#handlers.end();
  }
}
