/**
 * How many lines of batches this proxy runs at once: as many as `BATCH_CONCURRENCY` says while no client waits for anything. Within a
 * second of an interactive request it is a quarter of that, less one for each that is in flight; and none begins while the event loop is
 * late. So lines run in what interactive requests leave free; one may always run, or batches would never end on a busy proxy.
 */
import { monotonicMs } from '../../shared/durations.ts';

const lookEveryMs = 10;
/** Requests notice it when a turn of the event loop takes so much longer. */
const lateMs = 15;
/** For so long after an interactive request others are expected, which should not find the proxy full. */
const calmAfterMs = 1_000;
const shareBesideOthers = 1 / 4;
/** However late the event loop is, a line is begun after so long. */
const patienceMs = 1_000;

interface SlotOptions {
  readonly max: number;
  /** Requests in flight that a client waits for. */
  interactive(): number;
  /** A monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

export class Slots {
  readonly #options: SlotOptions;
  readonly #now: () => number;
  readonly #waiting: ((release: () => void) => void)[] = [];
  #taken = 0;
  #timer: Timer | undefined;
  #lookedAtMs = 0;
  #isLate = false;
  #begunAtMs = 0;
  #busyAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SlotOptions) {
    this.#options = options;
    this.#now = options.now ?? monotonicMs;
  }

  /** Resolves, in the order of the calls, with what gives the slot back. */
  acquire(): Promise<() => void> {
    const acquired = new Promise<() => void>((resolve) => void this.#waiting.push(resolve));
    if (this.#timer === undefined) {
      this.#lookedAtMs = this.#now();
      this.#timer = setInterval(() => this.#look(), lookEveryMs);
    }
    this.#giveSoon();
    return acquired;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const nowMs = this.#now();
    this.#isLate = nowMs - this.#lookedAtMs > lookEveryMs + lateMs;
    this.#lookedAtMs = nowMs;
    if (this.#waiting.length === 0 && this.#taken === 0) this.stop();
    else this.#giveSoon();
  }

  /** One in each turn of the event loop, so that requests run in between. */
  #giveSoon(): void {
    setImmediate(() => {
      if (this.#waiting.length > 0 && this.#hasFree()) this.#give();
    });
  }

  #hasFree(): boolean {
    const { max, interactive } = this.#options;
    const nowMs = this.#now();
    if (this.#isLate && nowMs - this.#begunAtMs < patienceMs) return false;
    const others = interactive();
    if (others > 0) this.#busyAtMs = nowMs;
    const isCalm = nowMs - this.#busyAtMs > calmAfterMs;
    return this.#taken < (isCalm ? max : Math.max(1, Math.floor(max * shareBesideOthers) - others));
  }

  #give(): void {
    const resolve = this.#waiting.shift();
    if (resolve === undefined) return;
    this.#taken += 1;
    this.#begunAtMs = this.#now();
    let isGivenBack = false;
    resolve(() => {
      if (isGivenBack) return;
      isGivenBack = true;
      this.#taken -= 1;
      this.#giveSoon();
    });
    this.#giveSoon();
  }
}
