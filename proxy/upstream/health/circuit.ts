/**
 * Whether a deployment is asked. Fed by the requests themselves, with the time handed in.
 *
 *   closed ──(failures in a row, or half of the recent requests)──▶ open
 *   open ──(its time is over: one request goes as a probe)──▶ half_open
 *   half_open ──(the probe succeeds)──▶ closed      half_open ──(it fails)──▶ open, for longer than before
 *
 * Apart from that a deployment that has asked for a pause rests for it, and then goes on as before: it is not broken,
 * and a single probe that generates for a minute must not keep everybody waiting.
 */
import { backoffMs } from './backoff.ts';
import { FailureWindow } from './failure-window.ts';

const failuresInARowMax = 8;
const openFor = { firstMs: 1_000, mostMs: 30_000 };
/** Where the provider gives no time of its own. */
const restFor = { firstMs: 1_000, mostMs: 30_000 };
const restMaxMs = 60_000;
/** A probe that has not been answered by then is joined by another one. */
const probeMs = 10_000;

export type CircuitState = 'closed' | 'open' | 'half_open';

/**
 * The state in which a request was let through. What it reports counts only while that lasts: an old request's failure
 * says nothing of a circuit that has closed since.
 */
export type Pass = number;

export class Circuit {
  #state: CircuitState = 'closed';
  #pass: Pass = 0;
  #failuresInARow = 0;
  #openingsInARow = 0;
  #restsInARow = 0;
  /** When the next probe may go. */
  #probeAtMs = 0;
  #restsUntilMs = 0;
  readonly #window = new FailureWindow();
  readonly #random: () => number;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  get state(): CircuitState {
    return this.#state;
  }

  /** From when on a request may be let through; in the past where it may be now. */
  get readyAtMs(): number {
    return this.#state === 'closed' ? this.#restsUntilMs : Math.max(this.#probeAtMs, this.#restsUntilMs);
  }

  /** Undefined where the deployment is not to be asked now. */
  admit(nowMs: number): Pass | undefined {
    if (this.readyAtMs > nowMs) return undefined;
    if (this.#state !== 'closed') {
      this.#state = 'half_open';
      this.#probeAtMs = nowMs + probeMs;
    }
    return this.#pass;
  }

  succeeded(pass: Pass, nowMs: number): void {
    if (pass !== this.#pass) return;
    this.#failuresInARow = 0;
    this.#restsInARow = 0;
    if (this.#state === 'closed') this.#window.count(nowMs, false);
    else this.#close();
  }

  /** `openMs` where this kind of failure does not mend within seconds. */
  failed(pass: Pass, nowMs: number, openMs?: number): void {
    if (pass !== this.#pass) return;
    this.#failuresInARow += 1;
    this.#window.count(nowMs, true);
    const trips = this.#failuresInARow >= failuresInARowMax || this.#window.isBad(nowMs);
    if (this.#state !== 'closed' || trips) this.#open(nowMs, openMs);
  }

  /** The deployment wants to be left alone, whoever is told so and however late. */
  askedToRest(pass: Pass, nowMs: number, restMs: number | undefined): void {
    this.#restsInARow += 1;
    const ms = restMs ?? backoffMs(restFor, this.#restsInARow, this.#random());
    this.#restsUntilMs = Math.max(this.#restsUntilMs, nowMs + Math.min(ms, restMaxMs));
    this.abandoned(pass, nowMs);
  }

  /** The request has ended without telling anything; if it was the probe, another one may go. */
  abandoned(pass: Pass, nowMs: number): void {
    if (pass === this.#pass && this.#state === 'half_open') this.#probeAtMs = nowMs;
  }

  #open(nowMs: number, openMs = 0): void {
    this.#state = 'open';
    this.#pass += 1;
    this.#openingsInARow += 1;
    this.#probeAtMs = nowMs + Math.max(openMs, backoffMs(openFor, this.#openingsInARow, this.#random()));
  }

  #close(): void {
    this.#state = 'closed';
    this.#pass += 1;
    this.#openingsInARow = 0;
    this.#window.clear();
  }
}
