/**
 * Draws documents in threads of their own, so that the one that serves is never busy with it. Threads are started when they
 * are needed, and end when nothing was drawn for a while. One that takes too long is ended, and the next drawing gets another.
 */
import { GatewayError } from '../../../shared/errors.ts';
import type { DocumentData } from '../document-data.ts';
import type { Look } from '../render/forms/signature-fields.ts';
import type { Drawing, Drawn } from './pdf-worker.ts';

const retryAfterSeconds = 30;

interface PdfWorkersOptions {
  readonly threads: number;
  readonly timeoutMs: number;
  /** After which an idle thread ends. */
  readonly idleMs: number;
}

interface Thread {
  readonly worker: Worker;
  idle?: Timer;
}

export class PdfWorkers {
  readonly #options: PdfWorkersOptions;
  readonly #idle: Thread[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  /** A thousand lines are drawn in about a second. */
  constructor(options: PdfWorkersOptions = { threads: 2, timeoutMs: 30_000, idleMs: 60_000 }) {
    this.#options = options;
  }

  /** Throws GatewayError `overloaded` if it takes too long, and what drawing throws. */
  async draw(data: DocumentData, look: Look): Promise<Uint8Array> {
    if (this.#busy >= this.#options.threads) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#busy += 1;
    const thread = this.#idle.pop() ?? this.#start();
    clearTimeout(thread.idle);
    try {
      const drawn = await this.#ask(thread, { data, look });
      this.#rest(thread);
      if ('failure' in drawn) throw drawn.failure;
      return drawn.bytes;
    } finally {
      this.#release();
    }
  }

  /** Idle threads end now. The program ends those that draw. */
  stop(): void {
    for (const { worker, idle } of this.#idle.splice(0)) {
      clearTimeout(idle);
      worker.terminate();
    }
  }

  #start(): Thread {
    const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url).href);
    worker.unref();
    return { worker };
  }

  /** A thread that fails or does not answer in time is of no use any more. */
  #ask({ worker }: Thread, drawing: Drawing): Promise<Drawn> {
    const { promise, resolve, reject } = Promise.withResolvers<Drawn>();
    const giveUp = (error: Error) => {
      worker.terminate();
      reject(error);
    };
    const timer = setTimeout(() => giveUp(tooSlow()), this.#options.timeoutMs);
    worker.onmessage = ({ data }: MessageEvent<Drawn>) => resolve(data);
    worker.onerror = ({ message }) => giveUp(new Error(`a thread that draws documents failed: ${message}`));
    worker.postMessage(drawing);
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

export function tooSlow(): GatewayError {
  return new GatewayError('overloaded', 'The document could not be drawn in time. Try again later.', {
    retryAfterSeconds,
  });
}
