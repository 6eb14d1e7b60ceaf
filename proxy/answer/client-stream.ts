/**
 * The client's end of a streamed answer. In a stream that has fallen silent it writes comments, so that neither the
 * client nor anything on the way takes it for dead. A client who takes nothing for long is broken off: he holds memory,
 * the provider's connection and money.
 *
 * One timer at a time belongs to a stream. A piece only notes when it went; the timer finds that out when it fires, and
 * is set again for the rest. So a busy stream costs one timer in 15 seconds, and none for each piece.
 */

const ping = new TextEncoder().encode(': ping\n\n');

/** So long may a client take for what was written last. */
const usualPatienceMs = 120_000;

export interface ClientStreamOptions {
  readonly intervalMs: number;
  /** So long has the stream been silent already. */
  readonly silentMs?: number;
  /** So long may the client take for what was written last. */
  readonly patienceMs?: number;
  /** He has taken longer, and the connection is broken off. */
  stalled?(): void;
}

export type ClientController = Pick<ReadableStreamDirectController, 'write' | 'flush' | 'close'>;

export class ClientStream {
  readonly #controller: ClientController;
  readonly #options: ClientStreamOptions;
  #sentAtMs: number;
  /** Resolves when a client who reads slowly has taken what was written. */
  #backlog: Promise<void> | undefined;
  #timer: Timer | undefined;

  constructor(controller: ClientController, options: ClientStreamOptions) {
    this.#controller = controller;
    this.#options = options;
    this.#sentAtMs = Date.now() - (options.silentMs ?? 0);
    this.#setTimer();
  }

  /** He has not yet taken what was written. */
  get isBehind(): boolean {
    return this.#backlog !== undefined;
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
    const { intervalMs, patienceMs = usualPatienceMs } = this.#options;
    const silentMs = Date.now() - this.#sentAtMs;
    // A client with a backlog may catch up at any time, and is looked at in between.
    const dueInMs = this.isBehind ? Math.min(intervalMs, patienceMs - silentMs) : intervalMs - silentMs;
    this.#timer = setTimeout(() => this.#onTimer(), Math.max(0, dueInMs));
  }

  #onTimer(): void {
    const { intervalMs, patienceMs = usualPatienceMs, stalled } = this.#options;
    const silentMs = Date.now() - this.#sentAtMs;
    if (this.isBehind && silentMs >= patienceMs) {
      this.fail();
      stalled?.();
      return;
    }
    // A client with a backlog has enough to read.
    if (!this.isBehind && silentMs >= intervalMs) this.write(ping);
    this.#setTimer();
  }
}
