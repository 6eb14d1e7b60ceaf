/** All requests of this process that hold money. */

import { monotonicMs } from '../../shared/durations.ts';
import type { Log } from '../../shared/log.ts';
import type { Wallet } from '../../shared/wallet/wallet.ts';
import type { ReplayBuffer } from './replay-buffer.ts';
import { RunningRequest, type RunningRequestOptions, type RunningServices } from './running-request.ts';

const abortedEndMs = 1_000;

export class RunningRequests {
  readonly #services: RunningServices;
  readonly #log: Log;
  readonly #running = new Set<RunningRequest>();

  constructor({ wallet, replayBuffer, log }: { wallet: Wallet; replayBuffer: ReplayBuffer; log: Log }) {
    this.#services = { wallet, replayBuffer, onEnd: (request) => this.#running.delete(request) };
    this.#log = log;
  }

  get size(): number {
    return this.#running.size;
  }

  start(options: RunningRequestOptions): RunningRequest {
    const request = new RunningRequest(options, this.#services);
    this.#running.add(request);
    return request;
  }

  /** Waits `graceMs` for the running requests to end, then aborts the rest. */
  async drain(graceMs: number): Promise<void> {
    const until = Date.now() + graceMs;
    while (this.#running.size > 0 && Date.now() < until) await Bun.sleep(25);
    for (const request of this.#running) request.abort.abort('shutting_down');
    while (this.#running.size > 0 && Date.now() < until + abortedEndMs) await Bun.sleep(25);
  }

  /** Called when Redis was replaced, to restore the holds before they are needed. */
  async renewAll(): Promise<void> {
    await Promise.all(
      [...this.#running].map((request) =>
        request.renewNow(monotonicMs()).catch((error: unknown) => {
          this.#log.warn({ requestId: request.requestId, err: error }, 'hold not renewed; will be tried again');
        }),
      ),
    );
  }

  /** Called about every second. */
  checkAll(nowMs: number): void {
    for (const request of this.#running) {
      request.check(nowMs).catch((error: unknown) => {
        this.#log.warn({ requestId: request.requestId, err: error }, 'hold not renewed; will be tried again');
      });
    }
  }
}
