/**
 * Reads one HTTP/1.1 response after the other from the bytes of a connection (RFC 9112), strictly: what two readers might
 * understand differently is an error, and its connection is not used again.
 */
import { HeaderFields, headerFieldsOf, listOf } from './header-fields.ts';

/** The server does not speak HTTP/1.1 as it should. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: HeaderFields;
}

export interface ResponseReceiver {
  head(head: ResponseHead): void;
  /** A piece of the body, which stays as it is. */
  data(bytes: Uint8Array): void;
  /** The response is complete. `isReusable`: another request may be sent on the connection. */
  end(isReusable: boolean): void;
}

/** Of a head, a line of chunks, and a trailer. */
const headMaxBytes = 64 * 1024;
const chunkLineMaxBytes = 1024;
const trailerMaxBytes = 16 * 1024;

const headEnd = Buffer.from('\r\n\r\n');
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d{2})(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const wholeNumber = /^\d{1,15}$/;
const chunkSize = /^[0-9A-Fa-f]{1,12}$/;
const chunkExtension = /^[\t ]*;[\t\x20-\x7e\x80-\xff]*$/;
/** So many are far below 2 ** 53. */
const plainDigitsMax = 7;
const noBytes = Buffer.alloc(0);
const [cr, lf] = [0x0d, 0x0a];

type State =
  /** Nothing is expected: there is no request. */
  | 'idle'
  | 'head'
  /** So many bytes more. */
  | 'length'
  | 'until close'
  | 'chunk size'
  | 'chunk'
  | 'chunk end'
  | 'trailer';

export class ResponseParser {
  readonly #receiver: ResponseReceiver;
  #state: State = 'idle';
  #isHead = false;
  /** An incomplete head or line. */
  #rest: Buffer = noBytes;
  /** How much of the body or of the chunk is still to come. */
  #left = 0;
  #trailerBytes = 0;
  #headBytes = 0;
  #keepsAlive = false;
  /** Pieces of the body in what is being read: nearly always one, which needs no list. */
  #piece: Buffer | undefined;
  #furtherPieces: Buffer[] | undefined;

  constructor(receiver: ResponseReceiver) {
    this.#receiver = receiver;
  }

  /** A request has been sent; its response is the next one. */
  expect(method: string): void {
    if (this.#state !== 'idle') throw new Error('a response is expected already');
    this.#state = 'head';
    this.#isHead = method === 'HEAD';
    this.#headBytes = 0;
  }

  /** Throws ProtocolError; then nothing of the connection can be used any more. */
  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) at = this.#take(bytes, at);
    this.#deliver();
  }

  /** The server has closed its side. Throws ProtocolError if the response is not complete. */
  close(): void {
    if (this.#state === 'until close') this.#end(false);
    else if (this.#state !== 'idle')
      throw new ProtocolError('the connection was closed before the end of the response');
  }

  /** Returns the place up to which it has read. */
  #take(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'idle':
        throw new ProtocolError('bytes came without a request');
      case 'head':
        return this.#takeHead(bytes, at);
      case 'length':
      case 'chunk':
        return this.#takeCounted(bytes, at);
      case 'until close':
        this.#keep(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
      default:
        return this.#takeLine(bytes, at);
    }
  }

  #takeHead(bytes: Buffer, at: number): number {
    const before = this.#rest.length;
    const all = before === 0 ? bytes.subarray(at) : Buffer.concat([this.#rest, bytes.subarray(at)]);
    // The end may lie across the border.
    const end = all.indexOf(headEnd, Math.max(0, before - headEnd.length));
    if (end + this.#headBytes > headMaxBytes || (end < 0 && all.length + this.#headBytes > headMaxBytes))
      throw new ProtocolError(`the head of the response is larger than ${headMaxBytes} bytes`);
    if (end < 0) {
      this.#rest = before === 0 ? Buffer.from(all) : all;
      return bytes.length;
    }
    this.#rest = noBytes;
    this.#headBytes += end + headEnd.length;
    this.#readHead(all.toString('latin1', 0, end));
    return at + end + headEnd.length - before;
  }

  #readHead(text: string): void {
    const lineEnd = text.indexOf('\r\n');
    const [, minor, code] = statusLine.exec(lineEnd < 0 ? text : text.slice(0, lineEnd)) ?? [];
    if (code === undefined) throw new ProtocolError('the status line of the response is malformed');
    const headers = lineEnd < 0 ? new HeaderFields() : headerFieldsOf(text, lineEnd + 2);
    if (headers === undefined) throw new ProtocolError('a header field of the response is malformed');
    const status = Number(code);
    if (status === 101) throw new ProtocolError('the server changes the protocol');
    // An interim response; the final one follows.
    if (status < 200) return;
    this.#keepsAlive = minor === '1' && !listOf(headers.get('connection')).includes('close');
    this.#state = this.#framingOf(status, headers, minor === '1');
    this.#receiver.head({ status, headers });
    if (this.#state === 'length' && this.#left === 0) this.#end(this.#keepsAlive);
  }

  #framingOf(status: number, headers: HeaderFields, isCurrent: boolean): 'length' | 'chunk size' | 'until close' {
    const length = headers.get('content-length');
    const coding = headers.get('transfer-encoding');
    if (length !== null && !wholeNumber.test(length))
      throw new ProtocolError('the content-length of the response is malformed');
    if (coding !== null && (length !== null || !isCurrent || coding.toLowerCase() !== 'chunked'))
      throw new ProtocolError('the transfer-encoding of the response is not understood');
    this.#left = 0;
    if (this.#isHead || status === 204 || status === 304) {
      if (coding !== null && status === 204) throw new ProtocolError('a response without content is chunked');
      return 'length';
    }
    if (coding !== null) return 'chunk size';
    if (length === null) return 'until close';
    this.#left = Number(length);
    return 'length';
  }

  #takeCounted(bytes: Buffer, at: number): number {
    const until = Math.min(bytes.length, at + this.#left);
    this.#keep(at === 0 && until === bytes.length ? bytes : bytes.subarray(at, until));
    this.#left -= until - at;
    if (this.#left > 0) return until;
    if (this.#state === 'chunk') this.#state = 'chunk end';
    else this.#end(this.#keepsAlive);
    return until;
  }

  /** A line of chunk framing: the size of a chunk, the empty line after it, or a field of the trailer. */
  #takeLine(bytes: Buffer, at: number): number {
    const plainEnd = this.#rest.length === 0 ? this.#takePlainLine(bytes, at) : at;
    if (plainEnd > at) return plainEnd;
    const found = bytes.indexOf(lf, at);
    const until = found < 0 ? bytes.length : found + 1;
    const part = bytes.subarray(at, until);
    const line = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
    const most = this.#state === 'trailer' ? trailerMaxBytes : chunkLineMaxBytes;
    if (line.length > most) throw new ProtocolError('a line between chunks of the response is too long');
    if (found < 0) {
      this.#rest = Buffer.from(line);
      return until;
    }
    this.#rest = noBytes;
    if (line.at(-2) !== cr) throw new ProtocolError('a line between chunks of the response ends without CR');
    const text = line.toString('latin1', 0, line.length - 2);
    if (this.#state === 'chunk size') this.#readChunkSize(text);
    else if (this.#state === 'trailer') this.#readTrailer(text);
    else if (text === '') this.#state = 'chunk size';
    else throw new ProtocolError('a chunk of the response does not end where it should');
    return until;
  }

  /** The usual size or end of a chunk, in one piece and without an extension; returns `at` if it is anything else. */
  #takePlainLine(bytes: Buffer, at: number): number {
    let end = at;
    let size = 0;
    for (let digit = hexDigit(bytes[end]); digit >= 0 && end - at < plainDigitsMax; digit = hexDigit(bytes[end])) {
      size = 16 * size + digit;
      end += 1;
    }
    if (bytes[end] !== cr || bytes[end + 1] !== lf) return at;
    if (this.#state === 'chunk end' && end === at) this.#state = 'chunk size';
    else if (this.#state === 'chunk size' && end > at) this.#beginChunk(size);
    else return at;
    return end + 2;
  }

  #readChunkSize(line: string): void {
    const sizeEnd = line.search(/[^0-9A-Fa-f]/);
    const size = sizeEnd < 0 ? line : line.slice(0, sizeEnd);
    if (!chunkSize.test(size) || (sizeEnd >= 0 && !chunkExtension.test(line.slice(sizeEnd))))
      throw new ProtocolError('the size of a chunk of the response is malformed');
    this.#beginChunk(Number.parseInt(size, 16));
  }

  #beginChunk(size: number): void {
    this.#left = size;
    this.#trailerBytes = 0;
    this.#state = size === 0 ? 'trailer' : 'chunk';
  }

  /** Fields after the body are checked and not used. */
  #readTrailer(line: string): void {
    if (line === '') {
      this.#end(this.#keepsAlive);
      return;
    }
    this.#trailerBytes += line.length;
    if (this.#trailerBytes > trailerMaxBytes || headerFieldsOf(line, 0) === undefined)
      throw new ProtocolError('the trailer of the response is malformed');
  }

  #end(isReusable: boolean): void {
    this.#deliver();
    this.#state = 'idle';
    this.#receiver.end(isReusable);
  }

  #keep(piece: Buffer): void {
    if (this.#piece === undefined) this.#piece = piece;
    else if (this.#furtherPieces === undefined) this.#furtherPieces = [piece];
    else this.#furtherPieces.push(piece);
  }

  /** What came together is passed on together. */
  #deliver(): void {
    const piece = this.#piece;
    if (piece === undefined) return;
    const further = this.#furtherPieces;
    this.#piece = undefined;
    this.#furtherPieces = undefined;
    this.#receiver.data(further === undefined ? piece : Buffer.concat([piece, ...further]));
  }
}

/** The value of a hexadecimal digit; -1 if it is none. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}
