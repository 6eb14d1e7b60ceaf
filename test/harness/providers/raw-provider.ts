/** A provider at the connection level: it sends exactly the bytes of a test, and breaks on demand. */
import { createServer, type Socket } from 'node:net';

export interface RawProvider {
  readonly baseUrl: string;
  /** Handles each request from now on. */
  on(behaviour: (socket: Socket) => void): void;
  stop(): Promise<void>;
}

export async function startRawProvider(): Promise<RawProvider> {
  const sockets = new Set<Socket>();
  let behave: (socket: Socket) => void = (socket) => socket.destroy();
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      const [head = '', body] = received.split('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
      if (body === undefined || body.length < length) return;
      received = '';
      behave(socket);
    });
    // The gateway disconnects, as it should.
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    on: (behaviour) => {
      behave = behaviour;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function headOf(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 200 OK\r\n${lines.join('')}\r\n`;
}

/** A chunk of the chunked transfer encoding. */
export function chunked(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}
