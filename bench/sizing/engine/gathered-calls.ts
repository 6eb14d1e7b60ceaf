/** Orders that share calls, by the rules of shared/wallet/gathered-script.ts. */
import type { Clock } from './clock.ts';

const ordersMax = 64;
const urgentWaitUs = 5_000;

/** Sends a call with so many orders; `replied` is called with its reply. */
export type Send = (orders: number, replied: () => void) => void;

export class GatheredCalls {
  calls = 0;
  orders = 0;
  readonly #clock: Clock;
  readonly #waitUs: number;
  readonly #send: Send;
  #waiting: (() => void)[] = [];
  #isUrgent = false;
  #callsInFlight = 0;
  #dueUs = Number.POSITIVE_INFINITY;
  #lastOrderUs = Number.NEGATIVE_INFINITY;

  /** `waitUs` is how long an order may wait for others. */
  constructor(clock: Clock, waitUs: number, send: Send) {
    this.#clock = clock;
    this.#waitUs = waitUs;
    this.#send = send;
  }

  order(replied: () => void): void {
    this.#waiting.push(replied);
    const { nowUs } = this.#clock;
    if (nowUs - this.#lastOrderUs > this.#waitUs) this.#isUrgent = true;
    this.#lastOrderUs = nowUs;
    if (this.#waiting.length >= ordersMax || (this.#isUrgent && this.#callsInFlight === 0)) this.#sendWaiting();
    else this.#sendWithin(this.#isUrgent ? urgentWaitUs : this.#waitUs);
  }

  /** A caller waits for the reply to an order. */
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
    while (this.#waiting.length > 0) this.#call(this.#waiting.splice(0, ordersMax));
  }

  #call(orders: readonly (() => void)[]): void {
    this.#callsInFlight += 1;
    this.calls += 1;
    this.orders += orders.length;
    this.#send(orders.length, () => {
      this.#callsInFlight -= 1;
      for (const replied of orders) replied();
      if (this.#isUrgent && this.#callsInFlight === 0) this.#sendWaiting();
    });
  }
}
