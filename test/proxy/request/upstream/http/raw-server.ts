/** A server of raw connections: it hands each whole request to a test, which answers with whatever bytes it likes. */
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer, type TlsOptions } from 'node:tls';

export interface RawRequest {
  /** The request line and the header fields. */
  readonly head: string;
  readonly body: Buffer;
  /** Connections are counted from 1. */
  readonly connection: number;
  /** On this connection, from 1. */
  readonly number: number;
}

export type Answer = (request: RawRequest, socket: Socket) => void;

export class RawServer {
  readonly requests: RawRequest[] = [];
  connections = 0;
  /** Connections that are open at the moment. */
  readonly open = new Set<Socket>();
  /** Names that clients have asked for with TLS. */
  readonly serverNames: string[] = [];
  answer: Answer = (_request, socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  readonly #server: Server;
  readonly #isSecure: boolean;

  private constructor(tls: TlsOptions | undefined) {
    const onConnection = (socket: Socket & { readonly servername?: string | false | null }) => {
      if (typeof socket.servername === 'string') this.serverNames.push(socket.servername);
      this.#serve(socket);
    };
    this.#isSecure = tls !== undefined;
    this.#server = tls === undefined ? createServer(onConnection) : createSecureServer(tls, onConnection);
  }

  static async start({ tls, host = '127.0.0.1' }: { tls?: TlsOptions; host?: string } = {}): Promise<RawServer> {
    const server = new RawServer(tls);
    await new Promise<void>((resolve, reject) => server.#server.once('error', reject).listen(0, host, resolve));
    return server;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  }

  url(host = '127.0.0.1'): string {
    return `${this.#isSecure ? 'https' : 'http'}://${host}:${this.port}/v1/chat?a=b`;
  }

  async stop(): Promise<void> {
    for (const socket of this.open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.connections += 1;
    const connection = this.connections;
    let number = 0;
    let received = Buffer.alloc(0);
    this.open.add(socket);
    socket.on('close', () => this.open.delete(socket));
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, Buffer.from(bytes)]);
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = received.toString('latin1', 0, headEnd);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (received.length < headEnd + 4 + length) return;
      const body = received.subarray(headEnd + 4, headEnd + 4 + length);
      received = Buffer.from(received.subarray(headEnd + 4 + length));
      number += 1;
      const request = { head, body, connection, number };
      this.requests.push(request);
      this.answer(request, socket);
    });
  }
}
