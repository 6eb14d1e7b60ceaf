/** Charges of leases that one call of Redis draws together, by the rule of proxy/request/leases/start-leases.ts. */
import type { Clock } from './clock.ts';

/** Sends a call with so many charges; `replied` is called with its reply. */
export type Send = (charges: number, replied: () => void) => void;

export class GatheredDraws {
  calls = 0;
  charges = 0;
  readonly #clock: Clock;
  readonly #waitUs: number;
  readonly #send: Send;
  #waiting: (() => void)[] = [];

  /** `waitUs` is how long the first charge waits for others. */
  constructor(clock: Clock, waitUs: number, send: Send) {
    this.#clock = clock;
    this.#waitUs = waitUs;
    this.#send = send;
  }

  add(replied: () => void): void {
    this.#waiting.push(replied);
    if (this.#waiting.length === 1) this.#clock.after(this.#waitUs, () => this.#draw());
  }

  #draw(): void {
    const gathered = this.#waiting;
    this.#waiting = [];
    this.calls += 1;
    this.charges += gathered.length;
    this.#send(gathered.length, () => {
      for (const replied of gathered) replied();
    });
  }
}
