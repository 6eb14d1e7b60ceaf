/** Raw HTTP, for requests that no client sends: half a request, two in one packet, wrong headers. */
import { connect } from 'node:net';

export interface RawConnection {
  send(bytes: string | Uint8Array): void;
  /** Everything received so far. */
  readonly text: string;
  /** Resolves with everything received, once `isEnough` or the server has closed the connection. */
  until(isEnough: (text: string) => boolean): Promise<string>;
  /** Resolves with everything received, once the server has closed the connection. */
  readonly closed: Promise<string>;
  close(): void;
}

export function rawConnection(url: string): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const each of waiting) each();
  };
  const closed = new Promise<string>((resolve) => {
    socket.once('close', () => {
      resolve(text);
      wake();
    });
  });
  // A reset also ends it.
  socket.on('error', () => {});
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
    wake();
  });
  return {
    send: (bytes) => void socket.write(bytes),
    get text() {
      return text;
    },
    until: (isEnough) =>
      new Promise((resolve) => {
        const check = () => {
          if (!isEnough(text) && !socket.destroyed) return;
          waiting.delete(check);
          resolve(text);
        };
        waiting.add(check);
        check();
      }),
    closed,
    close: () => void socket.destroy(),
  };
}

/** The head of a request whose body follows. */
export function requestHead(line: string, headers: Readonly<Record<string, string | number>>): string {
  const fields = Object.entries({ host: 'gateway.test', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\n${fields.join('')}\r\n`;
}

/** The first response's status. */
export const hasHead = (text: string): boolean => text.includes('\r\n\r\n');
export const statusOf = (text: string): number => Number(text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
