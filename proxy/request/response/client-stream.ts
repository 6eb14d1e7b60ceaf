/**
 * The client's end of a streamed response. It writes comments into a stream of events that has gone quiet, so that neither
 * the client nor a proxy in between takes the connection for dead. A client that reads nothing for too long is
 * disconnected, because it ties up memory, the provider's connection and money.
 *
 * Each stream has one timer. Writing a chunk only records the time; when the timer fires it reads that time and is set
 * again for the remainder. So a busy stream costs one timer per 15 seconds rather than one per chunk.
 */

const ping = new TextEncoder().encode(': ping\n\n');

const defaultStallTimeoutMs = 120_000;

export interface ClientStreamOptions {
  readonly intervalMs: number;
  /** Whether the stream has a place for comments. */
  readonly pings?: boolean;
  /** How long the stream has been silent already. */
  readonly silentMs?: number;
  /** How long the client may take to read what was written last. */
  readonly stallTimeoutMs?: number;
  /** Called when the client took longer and was disconnected. */
  stalled?(): void;
}

export type ClientController = Pick<ReadableStreamDirectController, 'write' | 'flush' | 'close'>;

export class ClientStream {
  readonly #controller: ClientController;
  readonly #options: ClientStreamOptions;
  #sentAtMs: number;
  /** Resolves when a slow client has taken what was written. */
  #backlog: Promise<void> | undefined;
  #timer: Timer | undefined;

  constructor(controller: ClientController, options: ClientStreamOptions) {
    this.#controller = controller;
    this.#options = options;
    this.#sentAtMs = Date.now() - (options.silentMs ?? 0);
    this.#setTimer();
  }

  /** The client has not yet taken what was written. */
  get isBehind(): boolean {
    return this.#backlog !== undefined;
  }

  /** Returns a promise if the client has to catch up first. */
  write(chunk: Uint8Array | string): Promise<void> | undefined {
    const written = this.#controller.write(chunk);
    this.#sentAtMs = Date.now();
    this.#backlog = typeof written === 'number' ? undefined : this.#catchUp(written);
    void this.#controller.flush();
    return this.#backlog;
  }

  close(last: string): void {
    this.stop();
    void this.#controller.write(last);
    this.#controller.close();
  }

  /** Disconnects the client. */
  fail(): void {
    this.stop();
    this.#controller.close(new Error('The stream has failed.'));
  }

  /** For a client that has disconnected. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  async #catchUp(written: Promise<unknown>): Promise<void> {
    await written;
    this.#backlog = undefined;
  }

  #setTimer(): void {
    const { intervalMs, stallTimeoutMs = defaultStallTimeoutMs } = this.#options;
    const silentMs = Date.now() - this.#sentAtMs;
    // A client with a backlog may catch up at any time, so it is checked at every interval.
    const dueInMs = this.isBehind ? Math.min(intervalMs, stallTimeoutMs - silentMs) : this.#pingDueInMs(silentMs);
    this.#timer = setTimeout(() => this.#onTimer(), Math.max(0, dueInMs));
  }

  #pingDueInMs(silentMs: number): number {
    const { intervalMs, pings = true } = this.#options;
    return pings ? intervalMs - silentMs : intervalMs;
  }

  #onTimer(): void {
    const { stallTimeoutMs = defaultStallTimeoutMs, stalled, pings = true } = this.#options;
    const silentMs = Date.now() - this.#sentAtMs;
    if (this.isBehind && silentMs >= stallTimeoutMs) {
      this.fail();
      stalled?.();
      return;
    }
    // A client with a backlog has enough to read.
    if (pings && !this.isBehind && this.#pingDueInMs(silentMs) <= 0) this.write(ping);
    this.#setTimer();
  }
}
