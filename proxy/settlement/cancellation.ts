/**
 * The end of everything that is done for a request. An AbortController is dear, so there is one for the attempt that
 * is under way, and another only where something else has to wait with a signal.
 */

export type AbortReason = 'client_gone' | 'not_held' | 'idle' | 'too_long' | 'lease_lost' | 'shutting_down';

/** What hands out a signal only to those who have to wait. */
export interface Abortable {
  readonly signal: AbortSignal;
}

export class Cancellation implements Abortable {
  #reason: AbortReason | undefined;
  #attempt: AbortController | undefined;
  #waiting: AbortController | undefined;

  /** Undefined while the request may go on. */
  get reason(): AbortReason | undefined {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (this.#waiting === undefined) {
      this.#waiting = new AbortController();
      if (this.#reason !== undefined) this.#waiting.abort(this.#reason);
    }
    return this.#waiting.signal;
  }

  /** The first reason counts. */
  abort(reason: AbortReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#attempt?.abort(reason);
    this.#waiting?.abort(reason);
  }

  /** One at a time: whatever was tried before has ended. */
  beginAttempt(): AbortSignal {
    this.#attempt = new AbortController();
    return this.#attempt.signal;
  }

  /** Breaks its connection off, whatever is still to come on it. Another attempt may follow. */
  endAttempt(reason?: 'headers_timeout'): void {
    this.#attempt?.abort(reason);
  }
}
