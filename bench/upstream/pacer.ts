/** Sends chunks when they are due, to the millisecond, for thousands of streams with one timer. */

export interface Paced {
  readonly everyMs: number;
  /** Sends the next chunk; false when it was the last one. */
  next(): boolean;
}

export class Pacer {
  readonly #due = new Map<number, Paced[]>();
  #nextMs = 0;
  #running = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** The first chunk goes after one interval. */
  add(paced: Paced): void {
    this.#running += 1;
    if (this.#timer === undefined) {
      this.#nextMs = nowMs();
      this.#timer = setInterval(() => this.#sendDue(), 1);
    }
    this.#schedule(paced, nowMs() + paced.everyMs);
  }

  #schedule(paced: Paced, atMs: number): void {
    const slot = this.#due.get(atMs);
    if (slot === undefined) this.#due.set(atMs, [paced]);
    else slot.push(paced);
  }

  #sendDue(): void {
    for (const now = nowMs(); this.#nextMs <= now; this.#nextMs += 1) {
      const due = this.#due.get(this.#nextMs);
      if (due === undefined) continue;
      this.#due.delete(this.#nextMs);
      for (const paced of due) {
        // Counted from the due time, so that a stream does not slow down on a busy machine.
        if (paced.next()) this.#schedule(paced, Math.max(this.#nextMs + paced.everyMs, this.#nextMs + 1));
        else this.#running -= 1;
      }
    }
    if (this.#running > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function nowMs(): number {
  return Math.floor(performance.now());
}
