/** Writes to a raw socket; bytes that the socket does not accept are buffered until it drains. */
import type { Socket } from 'bun';

export class SocketWriter {
  readonly #socket: Pick<Socket, 'write'>;
  #waiting: Buffer[] = [];

  constructor(socket: Pick<Socket, 'write'>) {
    this.#socket = socket;
  }

  write(bytes: Buffer): void {
    if (this.#waiting.length > 0) {
      this.#waiting.push(bytes);
      return;
    }
    const written = Math.max(0, this.#socket.write(bytes));
    if (written < bytes.length) this.#waiting.push(bytes.subarray(written));
  }

  drain(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const bytes of waiting) this.write(bytes);
  }
}
