/**
 * One connection to a provider, for one request after the other. It is used again only after a response that ended where it
 * said, and only as long as nothing comes that was not asked for.
 */
import { checkServerIdentity } from 'node:tls';
import type { Socket, SocketHandler } from 'bun';
import { monotonicMs } from '../../../../shared/durations.ts';
import { blobOf, textsOf, type UpstreamRequest } from '../../../providers/adapter.ts';
import type { Exchange } from './exchange.ts';
import { ProtocolError, ResponseParser } from './response-parser.ts';

/** Where a request goes. Connections are shared by requests of one origin. */
export interface Origin {
  /** The same for the same server, trusted in the same way. */
  readonly key: string;
  readonly hostname: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** Trusted instead of the usual authorities. */
  readonly ca: string | undefined;
}

export interface SentRequest {
  readonly method: string;
  /** The request line and the header fields, with the empty line behind them. */
  readonly head: string;
  readonly body: UpstreamRequest['body'];
  /** Of the body, in bytes. */
  readonly length: number;
}

/** What becomes of a connection. */
export interface ConnectionOwner {
  /** The next request may be sent on it. */
  onIdle(connection: Connection): void;
  onClosed(connection: Connection): void;
}

/** Of a body that is not sent with its head. */
interface Pieces {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

export class Connection {
  readonly origin: Origin;
  /** Monotonic. */
  readonly openedAtMs = monotonicMs();
  readonly #owner: ConnectionOwner;
  readonly #opened = Promise.withResolvers<void>();
  #socket: Socket<Connection> | undefined;
  readonly #parser: ResponseParser;
  #exchange: Exchange | undefined;
  /** What of a request the socket has not taken yet. */
  #unsent: Uint8Array = noBytes;
  #pieces: Pieces | undefined;
  #isClosed = false;

  constructor(origin: Origin, owner: ConnectionOwner) {
    this.origin = origin;
    this.#owner = owner;
    this.#parser = new ResponseParser({
      head: (head) => this.#exchange?.begin(head),
      data: (bytes) => this.#exchange?.push(bytes),
      end: (isReusable) => this.#end(isReusable),
    });
  }

  /** Resolves once a request can be sent, to a server that has proved its name. */
  open(): Promise<void> {
    const { hostname, port, isSecure, ca } = this.origin;
    const tls = { rejectUnauthorized: true, serverName: hostname, ...(ca !== undefined && { ca }) };
    const options = { hostname, port, socket: handlers, data: this, ...(isSecure && { tls }) };
    Bun.connect(options).catch((error: unknown) => this.#opened.reject(error));
    return this.#opened.promise;
  }

  /** The exchange fails with what is wrong; this never throws. */
  send(exchange: Exchange, { method, head, body, length }: SentRequest): void {
    if (this.#isClosed) {
      exchange.fail(new ProtocolError('the connection was closed before the request was sent'));
      return;
    }
    this.#exchange = exchange;
    exchange.attach(this);
    this.#parser.expect(method);
    const texts = textsOf(body);
    if (texts !== undefined && head.length + length <= shared.length) this.#sendTexts(head, texts);
    else {
      this.#unsent = Buffer.from(head);
      this.#pieces = Array.isArray(body) ? partsOf(body) : blobOf(body).stream().getReader();
      this.#write();
    }
  }

  /** Encoded part by part: a text that was joined first would be copied three times. */
  #sendTexts(head: string, texts: readonly string[]): void {
    let end = shared.write(head, 0, 'latin1');
    for (const text of texts) end += shared.write(text, end, 'utf8');
    const written = Math.max(0, this.#socket?.write(shared.subarray(0, end)) ?? 0);
    if (written < end) this.#unsent = new Uint8Array(shared.subarray(written, end));
  }

  close(): void {
    this.#socket?.terminate();
    this.#closed();
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** Writes until the socket takes no more. */
  #write(): void {
    const written = this.#socket?.write(this.#unsent) ?? -1;
    if (written < 0) return;
    // A view of what is left would keep all of it in memory.
    this.#unsent = written === this.#unsent.length ? noBytes : this.#unsent.subarray(written);
    if (this.#unsent.length === 0 && this.#pieces !== undefined) void this.#writePiece(this.#pieces);
  }

  async #writePiece(pieces: Pieces): Promise<void> {
    try {
      const { done, value } = await pieces.read();
      if (this.#isClosed || pieces !== this.#pieces) return;
      if (done) this.#pieces = undefined;
      else {
        this.#unsent = value ?? noBytes;
        this.#write();
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #end(isReusable: boolean): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    const isSent = this.#unsent.length === 0 && this.#pieces === undefined;
    exchange?.end();
    if (isReusable && isSent && !this.#isClosed) this.#owner.onIdle(this);
    else this.close();
  }

  #fail(error: unknown): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.close();
    exchange?.fail(error);
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#pieces?.cancel().catch(() => {});
    this.#owner.onClosed(this);
  }

  onOpen(socket: Socket<Connection>): void {
    if (this.#isClosed) {
      socket.terminate();
      return;
    }
    this.#socket = socket;
    socket.setNoDelay(true);
    if (!this.origin.isSecure) this.#opened.resolve();
  }

  onHandshake(socket: Socket<Connection>, isAuthorized: boolean, problem: Error | null): void {
    const { hostname } = this.origin;
    const error = isAuthorized ? problem : (problem ?? new Error('the TLS handshake failed'));
    const wrong = error ?? checkServerIdentity(hostname, socket.getPeerCertificate()) ?? null;
    if (wrong === null) this.#opened.resolve();
    else {
      this.#opened.reject(wrong);
      this.#fail(wrong);
    }
  }

  onData(bytes: Buffer): void {
    this.#exchange?.answered();
    try {
      this.#parser.push(bytes);
    } catch (error) {
      this.#fail(error);
    }
  }

  onDrain(): void {
    if (this.#unsent.length > 0) this.#write();
  }

  onEnd(): void {
    try {
      this.#parser.close();
      this.close();
    } catch (error) {
      this.#fail(error);
    }
  }

  onError(error: Error): void {
    this.#opened.reject(error);
    this.#fail(error);
  }

  onClose(error?: Error): void {
    this.#opened.reject(error ?? new ProtocolError('the connection was closed before it was open'));
    if (error === undefined) this.onEnd();
    else this.#fail(error);
  }
}

const noBytes = new Uint8Array(0);

/** Where requests of text are made, for the moment until the socket has taken them. */
const shared = Buffer.allocUnsafeSlow(512 * 1024);

/** One object for all connections. */
function partsOf(parts: readonly (string | Uint8Array)[]): Pieces {
  let next = 0;
  return {
    read: async () => {
      const part = parts[next];
      next += 1;
      return { done: part === undefined, value: typeof part === 'string' ? Buffer.from(part) : part };
    },
    cancel: async () => {},
  };
}

const handlers: SocketHandler<Connection> = {
  binaryType: 'buffer',
  open: (socket) => socket.data.onOpen(socket),
  handshake: (socket, isAuthorized, problem) => socket.data.onHandshake(socket, isAuthorized, problem),
  data: (socket, bytes) => socket.data.onData(bytes),
  drain: (socket) => socket.data.onDrain(),
  end: (socket) => socket.data.onEnd(),
  error: (socket, error) => socket.data.onError(error),
  connectError: (socket, error) => socket.data.onError(error),
  close: (socket, error) => socket.data.onClose(error),
};
