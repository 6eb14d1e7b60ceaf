/**
 * How much of the lines of batches this process has in memory at the same time: of those that are at providers, each of which also holds
 * money until the provider has run it, which may take a day, and of the responses to them.
 */

interface Room {
  readonly lines: number;
  /** Of the bodies of their requests, or of their responses. */
  readonly bytes: number;
}

interface Waiting {
  readonly bytes: number;
  enter(): void;
}

export class ProviderRoom {
  readonly #max: Room;
  readonly #waiting = new Set<Waiting>();
  #lines = 0;
  #bytes = 0;

  constructor(max: Room) {
    this.#max = max;
  }

  get lines(): number {
    return this.#lines;
  }

  /** Resolves, in the order of the calls, with what gives it back. Rejects with the reason of the signal. */
  acquire(bytes: number, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leave = () => {
        this.#waiting.delete(waiting);
        this.#letIn();
        reject(signal.reason);
      };
      const waiting = {
        bytes,
        enter: () => {
          signal.removeEventListener('abort', leave);
          resolve(this.take(bytes));
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(waiting);
      this.#letIn();
    });
  }

  /** At once, for what is at its provider already. */
  take(bytes: number): () => void {
    this.#lines += 1;
    this.#bytes += bytes;
    let isGivenBack = false;
    return () => {
      if (isGivenBack) return;
      isGivenBack = true;
      this.#lines -= 1;
      this.#bytes -= bytes;
      this.#letIn();
    };
  }

  #letIn(): void {
    for (const waiting of this.#waiting) {
      // What is larger than all of the room has it for itself.
      const isFull = this.#lines >= this.#max.lines || this.#bytes + waiting.bytes > this.#max.bytes;
      if (isFull && this.#lines > 0) return;
      this.#waiting.delete(waiting);
      waiting.enter();
    }
  }
}
