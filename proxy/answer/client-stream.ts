/**
 * The client's end of a streamed answer. In a stream that has fallen silent it writes comments, so that neither the
 * client nor anything on the way takes it for dead.
 *
 * One timer at a time belongs to a stream. A piece only notes when it went; the timer finds that out when it fires, and
 * is set again for the rest. So a busy stream costs one timer in 15 seconds, and none for each piece.
 */

const ping = new TextEncoder().encode(': ping\n\n');

export type ClientController = Pick<ReadableStreamDirectController, 'write' | 'flush' | 'close'>;

export class ClientStream {
  readonly #controller: ClientController;
  readonly #intervalMs: number;
  #sentAtMs: number;
  /** Resolves when a client who reads slowly has taken what was written. */
  #backlog: Promise<void> | undefined;
  #timer: Timer | undefined;

  /** `silentMs`: so long has the stream been silent already. */
  constructor(controller: ClientController, { intervalMs, silentMs = 0 }: { intervalMs: number; silentMs?: number }) {
    this.#controller = controller;
    this.#intervalMs = intervalMs;
    this.#sentAtMs = Date.now() - silentMs;
    this.#setTimer();
  }

  /** Returns a promise where the client has to catch up first. */
  write(piece: Uint8Array | string): Promise<void> | undefined {
    const written = this.#controller.write(piece);
    this.#sentAtMs = Date.now();
    this.#backlog = typeof written === 'number' ? undefined : written.then(() => this.#caughtUp());
    void this.#controller.flush();
    return this.#backlog;
  }

  close(last: string): void {
    this.stop();
    void this.#controller.write(last);
    this.#controller.close();
  }

  /** Breaks the connection off. */
  fail(): void {
    this.stop();
    this.#controller.close(new Error('The stream has failed.'));
  }

  /** For a client that has left. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #caughtUp(): void {
    this.#backlog = undefined;
  }

  #setTimer(): void {
    const dueInMs = this.#sentAtMs + this.#intervalMs - Date.now();
    this.#timer = setTimeout(() => this.#onTimer(), Math.max(0, dueInMs));
  }

  #onTimer(): void {
    const silentMs = Date.now() - this.#sentAtMs;
    // A client with a backlog has enough to read.
    if (silentMs >= this.#intervalMs && this.#backlog === undefined) this.write(ping);
    this.#setTimer();
  }
}
