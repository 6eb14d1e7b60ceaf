/** One connection of the load generator: raw bytes out, and just enough HTTP to know when an answer is complete. */
import type { Socket } from 'bun';
import { MessageReader } from '../http/message-reader.ts';
import { SocketWriter } from '../http/socket-writer.ts';

export interface Exchange {
  /** A part of the answer's body. */
  body?(bytes: Buffer): void;
  done(status: number): void;
  failed(reason: string): void;
}

const statusEnd = 'HTTP/1.1 200'.length;

export class Connection {
  #writer: SocketWriter | undefined;
  #socket: Socket<undefined> | undefined;
  #exchange: Exchange | undefined;
  #status = 0;
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

  static async open(port: number): Promise<Connection> {
    const connection = new Connection();
    connection.#socket = await Bun.connect<undefined>({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: (socket) => void socket.setNoDelay(true),
        data: (_, data) => connection.#reader.feed(data),
        drain: () => connection.#writer?.drain(),
        close: () => connection.#end('the connection was closed'),
        error: (_, error) => connection.#end(error.message),
      },
    });
    connection.#writer = new SocketWriter(connection.#socket);
    return connection;
  }

  /** One at a time. */
  send(request: Buffer, exchange: Exchange): void {
    this.#exchange = exchange;
    if (this.#writer === undefined) this.#end('the connection was closed');
    else this.#writer.write(request);
  }

  /** What is under way neither succeeds nor fails. */
  close(): void {
    this.#exchange = undefined;
    this.#socket?.end();
    this.#end('');
  }

  #end(reason: string): void {
    this.#writer = undefined;
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.failed(reason);
  }
}
