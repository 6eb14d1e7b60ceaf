/**
 * A circuit breaker: decides whether a deployment gets requests. Requests report their outcome and pass in the time.
 *
 *   closed ──(consecutive failures, or half of the recent requests failed)──▶ open
 *   open ──(its time is over: one request goes as a probe)──▶ half_open
 *   half_open ──(the probe succeeds)──▶ closed      half_open ──(it fails)──▶ open, for longer than before
 *
 * Independently, a deployment that asks for a pause rests for that time and then continues as before. It is not broken,
 * and other requests must not wait for a probe that may generate for a minute.
 */
import { backoffMs } from '../../../../shared/durations.ts';
import { FailureWindow } from './failure-window.ts';

const consecutiveFailuresMax = 8;
const openFor = { firstMs: 1_000, mostMs: 30_000 };
/** If the provider does not say how long. */
const restFor = { firstMs: 1_000, mostMs: 30_000 };
const restMaxMs = 60_000;
/** If a probe has no result by then, another one is sent. */
const probeMs = 10_000;

export type CircuitState = 'closed' | 'open' | 'half_open';

/**
 * Identifies the state in which a request was admitted. Its outcome counts only while that state lasts: an old
 * request's failure says nothing about a circuit that has closed since.
 */
export type Pass = number;

export class Circuit {
  #state: CircuitState = 'closed';
  #pass: Pass = 0;
  #consecutiveFailures = 0;
  #consecutiveOpenings = 0;
  #consecutiveRests = 0;
  /** When the next probe may be sent. */
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

  /** When a request may be admitted; in the past if it may be now. */
  get readyAtMs(): number {
    return this.#state === 'closed' ? this.#restsUntilMs : Math.max(this.#probeAtMs, this.#restsUntilMs);
  }

  /** Undefined if the deployment may not be used now. */
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
    this.#consecutiveFailures = 0;
    this.#consecutiveRests = 0;
    if (this.#state === 'closed') this.#window.count(nowMs, false);
    else this.#close();
  }

  /** `openMs` is for failures that are not fixed within seconds. */
  failed(pass: Pass, nowMs: number, openMs?: number): void {
    if (pass !== this.#pass) return;
    this.#consecutiveFailures += 1;
    this.#window.count(nowMs, true);
    const trips = this.#consecutiveFailures >= consecutiveFailuresMax || this.#window.isBad(nowMs);
    if (this.#state !== 'closed' || trips) this.#open(nowMs, openMs);
  }

  /** The deployment asks for a pause. This counts even from requests of an earlier state. */
  pauseRequested(pass: Pass, nowMs: number, restMs: number | undefined): void {
    this.#consecutiveRests += 1;
    const ms = restMs ?? backoffMs(restFor, this.#consecutiveRests, this.#random());
    this.#restsUntilMs = Math.max(this.#restsUntilMs, nowMs + Math.min(ms, restMaxMs));
    this.abandoned(pass, nowMs);
  }

  /** The request ended without a verdict. If it was the probe, another one may be sent. */
  abandoned(pass: Pass, nowMs: number): void {
    if (pass === this.#pass && this.#state === 'half_open') this.#probeAtMs = nowMs;
  }

  #open(nowMs: number, openMs = 0): void {
    this.#state = 'open';
    this.#pass += 1;
    this.#consecutiveOpenings += 1;
    this.#probeAtMs = nowMs + Math.max(openMs, backoffMs(openFor, this.#consecutiveOpenings, this.#random()));
  }

  #close(): void {
    this.#state = 'closed';
    this.#pass += 1;
    this.#consecutiveOpenings = 0;
    this.#window.clear();
  }
}
