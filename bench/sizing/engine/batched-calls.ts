/** Items that share calls, by the rules of shared/wallet/batched-script.ts. */
import type { Clock } from './clock.ts';

const itemsMax = 64;
const urgentWaitUs = 5_000;

/** Sends a call with so many items; `replied` is called with its reply. */
export type Send = (items: number, replied: () => void) => void;

export class BatchedCalls {
  calls = 0;
  items = 0;
  readonly #clock: Clock;
  readonly #waitUs: number;
  readonly #send: Send;
  #waiting: (() => void)[] = [];
  #isUrgent = false;
  #callsInFlight = 0;
  #dueUs = Number.POSITIVE_INFINITY;
  #lastItemUs = Number.NEGATIVE_INFINITY;

  /** `waitUs` is how long an item may wait for others. */
  constructor(clock: Clock, waitUs: number, send: Send) {
    this.#clock = clock;
    this.#waitUs = waitUs;
    this.#send = send;
  }

  add(replied: () => void): void {
    this.#waiting.push(replied);
    const { nowUs } = this.#clock;
    if (nowUs - this.#lastItemUs > this.#waitUs) this.#isUrgent = true;
    this.#lastItemUs = nowUs;
    if (this.#waiting.length >= itemsMax || (this.#isUrgent && this.#callsInFlight === 0)) this.#sendWaiting();
    else this.#sendWithin(this.#isUrgent ? urgentWaitUs : this.#waitUs);
  }

  /** A caller waits for the reply to an item. */
  hurry(): void {
    if (this.#waiting.length === 0 || this.#isUrgent) return;
    this.#isUrgent = true;
    if (this.#callsInFlight === 0) this.#sendWaiting();
    else this.#sendWithin(urgentWaitUs);
  }

  #sendWithin(us: number): void {
    const dueUs = this.#clock.nowUs + us;
    if (this.#dueUs <= dueUs) return;
    this.#dueUs = dueUs;
    this.#clock.after(us, () => {
      if (this.#dueUs === dueUs) this.#sendWaiting();
    });
  }

  #sendWaiting(): void {
    this.#dueUs = Number.POSITIVE_INFINITY;
    this.#isUrgent = false;
    while (this.#waiting.length > 0) this.#call(this.#waiting.splice(0, itemsMax));
  }

  #call(items: readonly (() => void)[]): void {
    this.#callsInFlight += 1;
    this.calls += 1;
    this.items += items.length;
    this.#send(items.length, () => {
      this.#callsInFlight -= 1;
      for (const replied of items) replied();
      if (this.#isUrgent && this.#callsInFlight === 0) this.#sendWaiting();
    });
  }
}
