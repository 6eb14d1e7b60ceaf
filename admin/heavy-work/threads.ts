/**
 * Runs tasks in threads of their own, so that the one that serves is never busy with them. Threads are started when they are
 * needed, and end when they had nothing to do for a while. One that takes too long is ended, and the next task gets another.
 */
import type { Outcome } from './handle-tasks.ts';

export interface ThreadsOptions {
  readonly threads: number;
  readonly timeoutMs: number;
  /** After which an idle thread ends. */
  readonly idleMs: number;
}

export interface ThreadsWork {
  /** The file that calls `handleTasks`. */
  readonly script: URL;
  /** What a task that takes too long throws. */
  readonly tooSlow: () => Error;
}

interface Thread {
  readonly worker: Worker;
  idle?: Timer;
}

export class Threads<Task, Result> {
  readonly #work: ThreadsWork;
  readonly #options: ThreadsOptions;
  readonly #idle: Thread[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(work: ThreadsWork, options: ThreadsOptions) {
    this.#work = work;
    this.#options = options;
  }

  /** Throws `tooSlow`, and what the task throws. */
  async run(task: Task): Promise<Result> {
    if (this.#busy >= this.#options.threads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#busy += 1;
    const thread = this.#idle.pop() ?? this.#start();
    clearTimeout(thread.idle);
    try {
      const outcome = await this.#send(thread, task);
      this.#rest(thread);
      if ('failure' in outcome) throw outcome.failure;
      return outcome.result;
    } finally {
      this.#release();
    }
  }

  /** Idle threads end now. The program ends those that work. */
  stop(): void {
    for (const { worker, idle } of this.#idle.splice(0)) {
      clearTimeout(idle);
      worker.terminate();
    }
  }

  #start(): Thread {
    const worker = new Worker(this.#work.script.href);
    worker.unref();
    return { worker };
  }

  /** A thread that fails or does not respond in time is discarded. */
  #send({ worker }: Thread, task: Task): Promise<Outcome<Result>> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome<Result>>();
    const giveUp = (error: Error) => {
      worker.terminate();
      reject(error);
    };
    const timer = setTimeout(() => giveUp(this.#work.tooSlow()), this.#options.timeoutMs);
    worker.onmessage = ({ data }: MessageEvent<Outcome<Result>>) => resolve(data);
    worker.onerror = ({ message }) => giveUp(new Error(`${this.#work.script.pathname} failed: ${message}`));
    worker.postMessage(task);
    return promise.finally(() => clearTimeout(timer));
  }

  #rest(thread: Thread): void {
    this.#idle.push(thread);
    const end = () => {
      this.#idle.splice(this.#idle.indexOf(thread), 1);
      thread.worker.terminate();
    };
    thread.idle = setTimeout(end, this.#options.idleMs);
    thread.idle.unref();
  }

  /** The place goes to the next in line. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy -= 1;
    else next();
  }
}
