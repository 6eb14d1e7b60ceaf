/**
 * Cancels all work for a request. An AbortController is expensive, so there is one for the current attempt, and another
 * only if something else needs a signal to wait with.
 */

export type AbortReason = 'client_gone' | 'idle' | 'too_long' | 'lease_lost' | 'shutting_down';

/** Creates its signal only when it is first read. */
export interface Abortable {
  readonly signal: AbortSignal;
}

export class Cancellation implements Abortable {
  #reason: AbortReason | undefined;
  #attempt: AbortController | undefined;
  #waiting: AbortController | undefined;

  /** Undefined while the request may continue. */
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

  /** One at a time: any earlier attempt has ended. */
  beginAttempt(): AbortSignal {
    this.#attempt = new AbortController();
    return this.#attempt.signal;
  }

  /** Closes its connection, even if more data would follow. Another attempt may begin. */
  endAttempt(reason?: 'headers_timeout'): void {
    this.#attempt?.abort(reason);
  }
}
