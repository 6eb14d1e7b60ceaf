/** The bench's handle of the load generator process. */
import { join } from 'node:path';
import type { JobMessage, LoadJob, LoadResult, ResultMessage } from './job.ts';

export class LoadGenerator {
  readonly #child: Bun.Subprocess;
  readonly #waiting = new Map<number, PromiseWithResolvers<LoadResult>>();
  #jobs = 0;
  #ended = false;

  constructor() {
    this.#child = Bun.spawn([process.execPath, join(import.meta.dir, 'main.ts')], {
      stdio: ['ignore', 'inherit', 'inherit'],
      ipc: (message: ResultMessage) => {
        const waiting = this.#waiting.get(message.id);
        this.#waiting.delete(message.id);
        if ('result' in message) waiting?.resolve(message.result);
        else waiting?.reject(new Error(`load generator: ${message.problem}`));
      },
      onExit: () => {
        this.#ended = true;
        for (const { reject } of this.#waiting.values()) reject(new Error('the load generator has ended'));
      },
    });
  }

  /** Rejects if the generator is stopped in the meantime. */
  run(job: LoadJob): Promise<LoadResult> {
    if (this.#ended) return Promise.reject(new Error('the load generator has ended'));
    this.#jobs += 1;
    const waiting = Promise.withResolvers<LoadResult>();
    this.#waiting.set(this.#jobs, waiting);
    const message: JobMessage = { id: this.#jobs, job };
    this.#child.send(message);
    return waiting.promise;
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await this.#child.exited;
  }
}
