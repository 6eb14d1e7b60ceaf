/** A fault that is made for real, and the alerts that have to say so. */
import type { Product } from '../product/product.ts';

export interface Fault {
  /** Completes the sentence “the alert fires because …”. */
  readonly name: string;
  /** Each of them has to fire, to reach its receiver, and to clear once the fault is over. */
  readonly fires: readonly string[];
  /** Consequences of the same fault that may be reported as well. */
  readonly mayFire?: readonly string[];
  /** The product itself remembers the cause for minutes, so the next faults do not wait for these alerts to clear. */
  readonly lingers?: true;
  /** Until all of them have fired; by default half a minute more than `for` and windows can take. */
  readonly firesWithinMs?: number;
  /** Begins; the function that it resolves with ends the fault. */
  begin(product: Product): Promise<() => Promise<unknown>>;
}

/** Alerts that a machine without a free core causes by itself. */
export const slowMachine = ['EventLoopStops', 'SlowGateway', 'SlowWallet'];

const stoppedMs = 120;
const runningMs = 40;

/** Gives a process a quarter of a core, in slices that are too short to count as a stop. */
export function throttle(pid: number): () => Promise<void> {
  let isOver = false;
  const run = async () => {
    while (!isOver) {
      process.kill(pid, 'SIGSTOP');
      await Bun.sleep(stoppedMs);
      process.kill(pid, 'SIGCONT');
      await Bun.sleep(runningMs);
    }
  };
  const running = run();
  return async () => {
    isOver = true;
    await running;
  };
}
