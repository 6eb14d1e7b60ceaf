/** One connection of the load generator: raw bytes out, and just enough HTTP to know when a response is complete. */
import type { Socket } from 'bun';
import { MessageReader } from '../http/message-reader.ts';
import { SocketWriter } from '../http/socket-writer.ts';

export interface Exchange {
  /** A part of the response's body. */
  body?(bytes: Buffer): void;
  done(status: number): void;
  failed(reason: string): void;
}

export interface ConnectionOptions {
  /** The other side has closed the connection while no request was in flight. */
  closedIdle?(connection: Connection): void;
}

/** The pause before a closed connection is replaced, so that a server that closes all of them is not flooded. */
export const reconnectPauseMs = 50;

const statusEnd = 'HTTP/1.1 200'.length;
/** Until the head of a response has arrived. */
const noStatus = 0;

export class Connection {
  #writer: SocketWriter | undefined;
  #socket: Socket<undefined> | undefined;
  #exchange: Exchange | undefined;
  #status = noStatus;
  #closed = false;
  readonly #options: ConnectionOptions;
  readonly #reader = new MessageReader({
    head: (head) => {
      this.#status = Number(head.slice(statusEnd - 3, statusEnd));
    },
    body: (bytes) => this.#exchange?.body?.(bytes),
    end: () => {
      const exchange = this.#exchange;
      this.#exchange = undefined;
      exchange?.done(this.#status);
    },
  });

  private constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  static async open(port: number, options: ConnectionOptions = {}): Promise<Connection> {
    const connection = new Connection(options);
    connection.#socket = await Bun.connect<undefined>({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: (socket) => void socket.setNoDelay(true),
        data: (_, data) => connection.#reader.feed(data),
        drain: () => connection.#writer?.drain(),
        close: () => connection.#end(),
        error: (_, error) => connection.#end(error.message),
      },
    });
    connection.#writer = new SocketWriter(connection.#socket);
    return connection;
  }

  /** One at a time. */
  send(request: Buffer, exchange: Exchange): void {
    this.#exchange = exchange;
    this.#status = noStatus;
    if (this.#closed) this.#fail('the connection was closed before the request');
    else this.#writer?.write(request);
  }

  /** A request in flight neither succeeds nor fails. */
  close(): void {
    this.#closed = true;
    this.#exchange = undefined;
    this.#socket?.end();
  }

  #end(error?: string): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#exchange === undefined) this.#options.closedIdle?.(this);
    else this.#fail(error ?? `the connection was closed ${this.#status === noStatus ? 'before' : 'within'} the answer`);
  }

  #fail(reason: string): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.failed(reason);
  }
}
