/**
 * Cores that processes share as Linux shares them: of those that have work, the one that has run least comes first, and
 * runs until its work or its slice is over. A process runs on one core at a time.
 */
import type { Clock } from './clock.ts';

/** https://docs.kernel.org/scheduler/sched-eevdf.html: the base slice of a machine with two cores. */
const sliceUs = 1_500;

interface Task {
  leftUs: number;
  readonly done: () => void;
}

export class Process {
  /** CPU time so far. */
  busyUs = 0;
  readonly tasks: Task[] = [];
  isRunning = false;
  /** CPU time that counts when processes compete; one that wakes does not count what it slept. */
  ranUs = 0;
  readonly #cores: Cores;

  constructor(cores: Cores) {
    this.#cores = cores;
  }

  get isIdle(): boolean {
    return this.tasks.length === 0;
  }

  /** `done` is called when this much CPU time has been spent on it, after what was there before. */
  run(us: number, done: () => void): void {
    if (this.isIdle && !this.isRunning) this.ranUs = Math.max(this.ranUs, this.#cores.leastRanUs - sliceUs);
    this.tasks.push({ leftUs: us, done });
    this.#cores.dispatch();
  }
}

export class Cores {
  readonly #clock: Clock;
  readonly #processes: Process[] = [];
  #free: number;
  readonly #shareMax: number;
  /** Of the process that was chosen last. */
  leastRanUs = 0;

  /** `shareMax` is what processes get of a core's time; the kernel uses the rest for itself. */
  constructor(clock: Clock, count: number, shareMax = 1) {
    this.#clock = clock;
    this.#free = count;
    this.#shareMax = shareMax;
  }

  process(): Process {
    const process = new Process(this);
    this.#processes.push(process);
    return process;
  }

  dispatch(): void {
    while (this.#free > 0) {
      const next = this.#next();
      if (next === undefined) return;
      this.leastRanUs = Math.max(this.leastRanUs, next.ranUs);
      this.#free -= 1;
      next.isRunning = true;
      this.#continue(next, sliceUs);
    }
  }

  #next(): Process | undefined {
    let least: Process | undefined;
    for (const process of this.#processes) {
      if (process.isIdle || process.isRunning) continue;
      if (least === undefined || process.ranUs < least.ranUs) least = process;
    }
    return least;
  }

  #continue(process: Process, sliceLeftUs: number): void {
    const [task] = process.tasks;
    if (task === undefined || sliceLeftUs <= 0) {
      process.isRunning = false;
      this.#free += 1;
      this.dispatch();
      return;
    }
    const us = Math.min(task.leftUs, sliceLeftUs);
    this.#clock.after(us / this.#shareMax, () => {
      process.busyUs += us;
      process.ranUs += us;
      task.leftUs -= us;
      if (task.leftUs <= 0) {
        process.tasks.shift();
        task.done();
      }
      this.#continue(process, sliceLeftUs - us);
    });
  }
}
